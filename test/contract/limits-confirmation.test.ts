import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLimits, type Limits } from '../../src/core/limits/index.ts';
import { type DatabaseConnection, openDatabase } from '../../src/database/connect.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { createLogger } from '../../src/lib/log/logger.ts';
import { type SeverableProxy, startSeverableProxy } from '../support/stores/severable-proxy.ts';
import { createServerTestDatabase, findServerUrl, type TestDatabase } from '../support/stores/test-database.ts';

const serverUrl = findServerUrl();

const LIMIT = 1000;
const expected = { tokens: () => 100, moreTokens: 0, images: 0 };

describe.skipIf(!serverUrl)('a limit whose confirmation by the database is lost', () => {
  let database: TestDatabase;
  let proxy: SeverableProxy;
  let connection: DatabaseConnection;
  let limits: Limits;
  beforeAll(async () => {
    database = await createServerTestDatabase(serverUrl ?? '');
    const url = new URL(database.config.kind === 'postgres' ? database.config.url : '');
    proxy = await startSeverableProxy({ host: url.hostname, port: Number(url.port || 5432) });
    url.host = `127.0.0.1:${proxy.port}`;
    connection = await openDatabase({ kind: 'postgres', url: url.href });
    limits = createLimits({
      db: connection.db,
      clock: systemClock,
      logger: createLogger({ level: 'silent' }),
      plans: { free: { user: { tokensPerDay: LIMIT } } },
      findPlan: async () => 'free',
    });
  });
  afterAll(async () => {
    await limits?.close();
    await connection?.close();
    await proxy?.close();
    await database?.close();
  });

  const remainingOf = async (userId: number) => (await limits.readQuotas({ userId }))?.tokens?.remaining;

  it('counts usage once although it is written again', async () => {
    const reservation = await limits.reserve({ userId: 1 }, expected);
    const isLost = proxy.loseConfirmation('"tokens":40', 'SELECT 1');
    reservation.settle({ tokens: 40, images: 0 });
    await isLost;
    await expect.poll(() => remainingOf(1).catch(() => undefined)).toBe(LIMIT - 40);
    // The usage that follows is counted as well.
    (await limits.reserve({ userId: 1 }, expected)).settle({ tokens: 5, images: 0 });
    expect(await remainingOf(1)).toBe(LIMIT - 45);
  });

  it('counts usage once when the confirmation is lost several times', async () => {
    const reservation = await limits.reserve({ userId: 2 }, expected);
    const first = proxy.loseConfirmation('"tokens":40', 'SELECT 1');
    reservation.settle({ tokens: 40, images: 0 });
    await first;
    await proxy.loseConfirmation('"tokens":40', 'SELECT 1');
    const other = limits.reserve({ userId: 3 }, expected).catch(() => undefined);
    await expect.poll(() => remainingOf(2).catch(() => undefined)).toBe(LIMIT - 40);
    (await other)?.settle({ tokens: 0, images: 0 });
  });

  it('makes a reservation once although it is requested again', async () => {
    const isLost = proxy.loseConfirmation('"more"', 'SELECT 1');
    const reserving = limits.reserve({ userId: 6 }, expected);
    await isLost;
    const reservation = await reserving;
    expect(await remainingOf(6)).toBe(LIMIT - 100);
    reservation.settle({ tokens: 40, images: 0 });
    expect(await remainingOf(6)).toBe(LIMIT - 40);
  });

  it('releases a reservation that was refused because its confirmation was lost twice', async () => {
    const losing = proxy
      .loseConfirmation('"more"', 'SELECT 1')
      .then(() => proxy.loseConfirmation('"more"', 'SELECT 1'));
    await expect(limits.reserve({ userId: 7 }, expected)).rejects.toThrow();
    await losing;
    await expect.poll(() => remainingOf(7).catch(() => undefined)).toBe(LIMIT);
  });

  it('counts the usage that others settled in the meantime', async () => {
    const reservations = await Promise.all([4, 5].map((userId) => limits.reserve({ userId }, expected)));
    const isLost = proxy.loseConfirmation('"tokens":40', 'SELECT 1');
    reservations[0]?.settle({ tokens: 40, images: 0 });
    await isLost;
    reservations[1]?.settle({ tokens: 30, images: 0 });
    await expect.poll(() => remainingOf(5).catch(() => undefined)).toBe(LIMIT - 30);
    expect(await remainingOf(4)).toBe(LIMIT - 40);
  });
});
