import { eq, sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/postgres-js';
import { afterAll, beforeAll, describe, expect, it, type TestContext } from 'vitest';
import { openDatabase } from '../../src/database/connect.ts';
import { createPatientClient, type PatientClient } from '../../src/database/patient-client.ts';
import { users } from '../../src/database/schema/index.ts';
import { isDatabaseAway } from '../../src/lib/errors/is-database-away.ts';
import { startSeverableProxy } from '../support/stores/severable-proxy.ts';
import { createServerTestDatabase, findServerUrl, type TestDatabase } from '../support/stores/test-database.ts';

const serverUrl = findServerUrl();

/** 5 s until a server is suspected, 5 s for the probe to answer, and a margin for a busy machine. */
const SILENCE_MS = 40_000;

describe.skipIf(!serverUrl)(
  'a database server that accepts connections and does not answer',
  { concurrent: true },
  () => {
    let database: TestDatabase;
    beforeAll(async () => {
      database = await createServerTestDatabase(serverUrl ?? '');
    });
    afterAll(() => database?.close());

    /** Starts what a test needs of its own, because tests run side by side. */
    const startProxy = async ({ onTestFinished }: TestContext) => {
      const url = new URL(database.config.kind === 'postgres' ? database.config.url : '');
      const proxy = await startSeverableProxy({ host: url.hostname, port: Number(url.port || 5432) });
      onTestFinished(() => proxy.close());
      url.host = `127.0.0.1:${proxy.port}`;
      return { proxy, proxyUrl: url.href };
    };
    const connect = async (context: TestContext) => {
      const { proxy, proxyUrl } = await startProxy(context);
      const connection = await openDatabase({ kind: 'postgres', url: proxyUrl });
      context.onTestFinished(async () => {
        proxy.speak();
        await proxy.mend();
        await connection.close();
      });
      return { proxy, connection };
    };

    /** Measures how long an operation takes, and whether its error counts as an unavailable database. */
    const fateOf = async (work: Promise<unknown>) => {
      const beganAt = performance.now();
      const error = await work.then(
        () => undefined,
        (reason: unknown) => reason,
      );
      return { ms: performance.now() - beganAt, isDone: error === undefined, isAway: isDatabaseAway(error) };
    };
    const countPeople = async (telegramId: number) =>
      (await database.db.select().from(users).where(eq(users.telegramId, telegramId))).length;

    it('fails all waiting statements after a bounded time and recovers by itself', async (context) => {
      const { proxy, connection } = await connect(context);
      await connection.ping();
      proxy.hush();
      const fates = await Promise.all(Array.from({ length: 40 }, () => fateOf(connection.ping())));
      for (const fate of fates) expect(fate).toMatchObject({ isDone: false, isAway: true });
      expect(Math.max(...fates.map(({ ms }) => ms))).toBeLessThan(SILENCE_MS);
      // Later statements do not wait longer.
      const late = await fateOf(connection.ping());
      expect(late).toMatchObject({ isDone: false, isAway: true });
      expect(late.ms).toBeLessThan(SILENCE_MS);
      proxy.speak();
      await connection.ping();
    });

    it('never executes a statement after its failure was reported', async (context) => {
      const { proxy, connection } = await connect(context);
      await connection.ping();
      proxy.hush();
      const inserts = Array.from({ length: 30 }, () =>
        fateOf(connection.db.execute(sql`insert into ${users} (telegram_id) values (1) on conflict do nothing`)),
      );
      for (const fate of await Promise.all(inserts)) expect(fate.isAway).toBe(true);
      proxy.speak();
      await connection.ping();
      await connection.db.execute(sql`select pg_sleep(0.3)`);
      expect(await countPeople(1)).toBe(0);
    });

    it('fails a transaction in the middle and rolls it back', async (context) => {
      const { proxy, connection } = await connect(context);
      const fate = fateOf(
        connection.db.transaction(async (transaction) => {
          await transaction.execute(sql`insert into ${users} (telegram_id) values (2)`);
          proxy.hush();
          await transaction.execute(sql`insert into ${users} (telegram_id) values (3)`);
        }),
      );
      expect(await fate).toMatchObject({ isDone: false, isAway: true });
      proxy.speak();
      await connection.ping();
      expect(await countPeople(2)).toBe(0);
    });

    it('keeps a connection whose statement takes long', async (context) => {
      const { connection } = await connect(context);
      const slow = fateOf(connection.db.execute(sql`select pg_sleep(7)`));
      expect(await fateOf(connection.ping())).toMatchObject({ isDone: true });
      expect(await slow).toMatchObject({ isDone: true });
    });

    it('is probed only some tens of times a second when it closes connections at once', async (context) => {
      const { proxy, connection } = await connect(context);
      proxy.slam();
      const before = proxy.connectionCount();
      const beganAt = performance.now();
      const fates = await Promise.all(Array.from({ length: 100 }, () => fateOf(connection.ping())));
      const seconds = (performance.now() - beganAt) / 1000;
      for (const fate of fates) expect(fate).toMatchObject({ isDone: false, isAway: true });
      expect(proxy.connectionCount() - before).toBeLessThanOrEqual(100 + 20);
      expect((proxy.connectionCount() - before) / Math.max(seconds, 1)).toBeLessThan(110);
      // Without a statement there is no connection attempt.
      const quiet = proxy.connectionCount();
      await new Promise((resolve) => setTimeout(resolve, 500));
      expect(proxy.connectionCount()).toBe(quiet);
      await proxy.mend();
      await context.expect
        .poll(() =>
          connection.ping().then(
            () => true,
            () => false,
          ),
        )
        .toBe(true);
    });

    describe('a healthy database server', () => {
      const open = async (
        context: TestContext,
        maxConnections: number,
        patience: Readonly<
          Partial<Record<'unresponsiveAfterMs' | 'lostAfterMs' | 'longestWaitMs' | 'longestPauseMs', number>>
        >,
      ) => {
        const { proxy, proxyUrl } = await startProxy(context);
        const client = createPatientClient(proxyUrl, {
          maxConnections,
          prepare: (driver) => void drizzle(driver),
          patience: {
            unresponsiveAfterMs: 100,
            lostAfterMs: 3000,
            longestWaitMs: 60_000,
            longestPauseMs: 60_000,
            ...patience,
          },
        });
        context.onTestFinished(async () => {
          proxy.speak();
          await client.close();
        });
        return { client, proxy };
      };
      const findSession = async ({ sql }: PatientClient) =>
        (await sql.unsafe<{ pid: number }[]>('select pg_backend_pid() as pid'))[0]?.pid;

      it('keeps its connections, however long statements wait behind others', async (context) => {
        const { client } = await open(context, 1, {});
        const session = await findSession(client);
        const fates = Array.from({ length: 9 }, () => fateOf(client.sql.unsafe('select pg_sleep(0.5)')));
        const last = await fateOf(client.sql.begin((transaction) => transaction.unsafe('select 1')));
        for (const fate of [...(await Promise.all(fates)), last]) expect(fate).toMatchObject({ isDone: true });
        expect(last.ms, 'it has waited for longer than a lost connection may').toBeGreaterThan(3000);
        expect(await findSession(client)).toBe(session);
      });

      it('ends a transaction whose process does not continue it, and sends none of its later statements', async (context) => {
        const { client } = await open(context, 1, { unresponsiveAfterMs: 60_000, longestPauseMs: 200 });
        const goesOn = Promise.withResolvers<void>();
        const late = Promise.withResolvers<Awaited<ReturnType<typeof fateOf>>>();
        const fate = await fateOf(
          client.sql.begin(async (transaction) => {
            await transaction.unsafe('select 1');
            await goesOn.promise;
            const statement = fateOf((async () => transaction.unsafe('select 1'))());
            late.resolve(statement);
            await statement;
          }),
        );
        expect(fate).toMatchObject({ isDone: false, isAway: true });
        // The driver has opened the connection again, and would use it for the rest of the transaction.
        const session = await findSession(client);
        goesOn.resolve();
        expect(await late.promise).toMatchObject({ isDone: false, isAway: true });
        const next = client.sql.begin(async (transaction) => {
          await transaction.unsafe(`set local application_name = 'next'`);
          await transaction.unsafe('select pg_sleep(0.1)');
          return transaction.unsafe('show application_name');
        });
        expect(await next).toMatchObject([{ application_name: 'next' }]);
        expect(await findSession(client)).toBe(session);
      });

      it('counts as answering when it becomes silent just after a probe was sent', async (context) => {
        const { client, proxy } = await open(context, 1, {});
        await findSession(client);
        proxy.hushAt('select 1');
        expect(await fateOf(client.sql.unsafe('select 1 as what'))).toMatchObject({ isDone: false, isAway: true });
      });

      it('fails only the statements of the connection that is lost', async (context) => {
        const { client, proxy } = await open(context, 2, {});
        await findSession(client);
        proxy.hush();
        proxy.speak();
        let isLost = false;
        const lost = fateOf(client.sql.unsafe('select 1')).finally(() => {
          isLost = true;
        });
        const session = await findSession(client);
        while (!isLost) expect(await fateOf(client.sql.unsafe('select pg_sleep(0.2)'))).toMatchObject({ isDone: true });
        expect(await lost).toMatchObject({ isDone: false, isAway: true });
        expect(await findSession(client)).toBe(session);
      });

      it('fails a statement that waited too long for a free connection, and never executes it later', async (context) => {
        const { client } = await open(context, 1, { longestWaitMs: 1500 });
        const session = await findSession(client);
        const first = fateOf(client.sql.unsafe('select pg_sleep(1)'));
        const second = fateOf(client.sql.unsafe('select pg_sleep(2)'));
        const insert = 'insert into users (telegram_id) values (4)';
        const late = fateOf(client.sql.begin((transaction) => transaction.unsafe(insert)));
        expect(await first).toMatchObject({ isDone: true });
        expect(await second, 'it had started in time').toMatchObject({ isDone: true });
        expect(await late).toMatchObject({ isDone: false, isAway: true });
        await context.expect.poll(() => fateOf(findSession(client))).toMatchObject({ isDone: true });
        expect(await findSession(client)).toBe(session);
        expect(await countPeople(4)).toBe(0);
      });
    });
  },
);
