import { eq, sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/postgres-js';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type DatabaseConnection, openDatabase } from '../../src/database/connect.ts';
import { createPatientClient, type PatientClient } from '../../src/database/patient-client.ts';
import { users } from '../../src/database/schema/index.ts';
import { isDatabaseAway } from '../../src/lib/is-database-away.ts';
import { type SeverableProxy, startSeverableProxy } from '../support/severable-proxy.ts';
import { createServerTestDatabase, findServerUrl, type TestDatabase } from '../support/test-database.ts';

const serverUrl = findServerUrl();

/** 5 s until somebody suspects something, 5 s for the server to prove it wrong, and time for a machine that is busy. */
const SILENCE_MS = 40_000;

describe.skipIf(!serverUrl)('a database server that is there and does not answer', () => {
  let database: TestDatabase;
  let proxy: SeverableProxy;
  let connection: DatabaseConnection;
  let proxyUrl: string;
  beforeAll(async () => {
    database = await createServerTestDatabase(serverUrl ?? '');
    const url = new URL(database.config.kind === 'postgres' ? database.config.url : '');
    proxy = await startSeverableProxy({ host: url.hostname, port: Number(url.port || 5432) });
    url.host = `127.0.0.1:${proxy.port}`;
    proxyUrl = url.href;
    connection = await openDatabase({ kind: 'postgres', url: proxyUrl });
  });
  afterEach(async () => {
    proxy.speak();
    await proxy.mend();
  });
  afterAll(async () => {
    await connection?.close();
    await proxy?.close();
    await database?.close();
  });

  /** What becomes of a piece of work: how long it took, and whether the database counts as away. */
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

  it('keeps nobody waiting without end, however many wait, and answers again by itself', async () => {
    await connection.ping();
    proxy.hush();
    const fates = await Promise.all(Array.from({ length: 40 }, () => fateOf(connection.ping())));
    for (const fate of fates) expect(fate).toMatchObject({ isDone: false, isAway: true });
    expect(Math.max(...fates.map(({ ms }) => ms))).toBeLessThan(SILENCE_MS);
    // Those that come later do not wait longer.
    const late = await fateOf(connection.ping());
    expect(late).toMatchObject({ isDone: false, isAway: true });
    expect(late.ms).toBeLessThan(SILENCE_MS);
    proxy.speak();
    await connection.ping();
  });

  it('carries out nothing later that somebody was told had failed', async () => {
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

  it('in the middle of a transaction: it fails, and nothing of it stays', async () => {
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

  it('is not given up because a statement takes long', async () => {
    const slow = fateOf(connection.db.execute(sql`select pg_sleep(7)`));
    expect(await fateOf(connection.ping())).toMatchObject({ isDone: true });
    expect(await slow).toMatchObject({ isDone: true });
  });

  it('takes connections and closes them at once: it is asked at most some tens of times a second', async () => {
    proxy.slam();
    const before = proxy.connectionCount();
    const beganAt = performance.now();
    const fates = await Promise.all(Array.from({ length: 100 }, () => fateOf(connection.ping())));
    const seconds = (performance.now() - beganAt) / 1000;
    for (const fate of fates) expect(fate).toMatchObject({ isDone: false, isAway: true });
    expect(proxy.connectionCount() - before).toBeLessThanOrEqual(100 + 20);
    expect((proxy.connectionCount() - before) / Math.max(seconds, 1)).toBeLessThan(110);
    // Nobody asks: nothing is tried.
    const quiet = proxy.connectionCount();
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(proxy.connectionCount()).toBe(quiet);
    await proxy.mend();
    await expect
      .poll(() =>
        connection.ping().then(
          () => true,
          () => false,
        ),
      )
      .toBe(true);
  });

  describe('but is well', () => {
    const open = (
      maxConnections: number,
      patience: { readonly lostAfterMs?: number; readonly longestWaitMs?: number },
    ): PatientClient => {
      const client = createPatientClient(proxyUrl, {
        maxConnections,
        prepare: (driver) => void drizzle(driver),
        patience: { unresponsiveAfterMs: 100, lostAfterMs: 3000, longestWaitMs: 60_000, ...patience },
      });
      onTestFinished(() => client.close());
      return client;
    };
    const findSession = async ({ sql }: PatientClient) =>
      (await sql.unsafe<{ pid: number }[]>('select pg_backend_pid() as pid'))[0]?.pid;

    it('has its connections kept, however long statements wait behind others', async () => {
      const client = open(1, {});
      const session = await findSession(client);
      const fates = Array.from({ length: 9 }, () => fateOf(client.sql.unsafe('select pg_sleep(0.5)')));
      const last = await fateOf(client.sql.begin((transaction) => transaction.unsafe('select 1')));
      for (const fate of [...(await Promise.all(fates)), last]) expect(fate).toMatchObject({ isDone: true });
      expect(last.ms, 'it has waited for longer than a lost connection may').toBeGreaterThan(3000);
      expect(await findSession(client)).toBe(session);
    });

    it('falls silent just when it is asked whether it is there: that is an answer as well', async () => {
      const client = open(1, {});
      await findSession(client);
      proxy.hushAt('select 1');
      expect(await fateOf(client.sql.unsafe('select 1 as what'))).toMatchObject({ isDone: false, isAway: true });
    });

    it('loses a connection: what waits on that one fails, and on no other', async () => {
      const client = open(2, {});
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

    it('and too busy for too long: whoever has waited enough is told so alone, and is not served later', async () => {
      const client = open(1, { longestWaitMs: 1500 });
      const session = await findSession(client);
      const first = fateOf(client.sql.unsafe('select pg_sleep(1)'));
      const second = fateOf(client.sql.unsafe('select pg_sleep(2)'));
      const insert = 'insert into people (telegram_id) values (4)';
      const late = fateOf(client.sql.begin((transaction) => transaction.unsafe(insert)));
      expect(await first).toMatchObject({ isDone: true });
      expect(await second).toMatchObject({ isDone: false, isAway: true });
      expect(await late).toMatchObject({ isDone: false, isAway: true });
      await expect.poll(() => fateOf(findSession(client))).toMatchObject({ isDone: true });
      expect(await findSession(client)).toBe(session);
      expect(await countPeople(4)).toBe(0);
    });
  });
});
