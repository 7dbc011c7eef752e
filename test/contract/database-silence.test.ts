import { eq, sql } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type DatabaseConnection, openDatabase } from '../../src/database/connect.ts';
import { people } from '../../src/database/schema/index.ts';
import { isDatabaseAway } from '../../src/lib/is-database-away.ts';
import { type SeverableProxy, startSeverableProxy } from '../support/severable-proxy.ts';
import { createServerTestDatabase, type TestDatabase } from '../support/test-database.ts';

const serverUrl = process.env['TEST_DATABASE_URL'];
if (!serverUrl && process.env['CI'] === 'true') throw new Error('CI must set TEST_DATABASE_URL to a Postgres server');

/** 5 s until somebody suspects something, 5 s for the server to prove it wrong, and time for a machine that is busy. */
const SILENCE_MS = 40_000;

describe.skipIf(!serverUrl)('a database server that is there and does not answer', () => {
  let database: TestDatabase;
  let proxy: SeverableProxy;
  let connection: DatabaseConnection;
  beforeAll(async () => {
    database = await createServerTestDatabase(serverUrl ?? '');
    const url = new URL(database.config.kind === 'postgres' ? database.config.url : '');
    proxy = await startSeverableProxy({ host: url.hostname, port: Number(url.port || 5432) });
    url.host = `127.0.0.1:${proxy.port}`;
    connection = await openDatabase({ kind: 'postgres', url: url.href });
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
    (await database.db.select().from(people).where(eq(people.telegramId, telegramId))).length;

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
      fateOf(connection.db.execute(sql`insert into ${people} (telegram_id) values (1) on conflict do nothing`)),
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
        await transaction.execute(sql`insert into ${people} (telegram_id) values (2)`);
        proxy.hush();
        await transaction.execute(sql`insert into ${people} (telegram_id) values (3)`);
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
});
