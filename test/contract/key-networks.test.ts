import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  type Accounts,
  createAccounts,
  createApiKeys,
  createKeyUses,
  ensureUniversalKey,
  type NewNetwork,
} from '../../src/core/accounts/index.ts';
import { apiKeyNetworks } from '../../src/database/schema/index.ts';
import { createLogger } from '../../src/lib/log/logger.ts';
import { createFakeClock } from '../support/machine/fake-clock.ts';
import { describeOnEveryDatabase, type TestDatabase } from '../support/stores/test-database.ts';

const logger = createLogger({ level: 'silent' });

describeOnEveryDatabase('networks of API keys', (createDatabase) => {
  let database: TestDatabase;
  let accounts: Accounts;
  const clock = createFakeClock();
  beforeAll(async () => {
    database = await createDatabase();
    accounts = createAccounts({ db: database.db, clock, adminIds: [] });
  });
  afterAll(() => database.close());

  let telegramId = 1000;
  const makeKey = async () => {
    const { id: userId } = await accounts.ensureTelegramUser(++telegramId);
    const made = await createApiKeys({ db: database.db, clock }).create(userId, 'laptop');
    return { userId, keyId: made?.key.id ?? 0 };
  };
  /** A process that records uses. */
  const start = () => {
    const uses = createKeyUses({ db: database.db, clock, logger });
    const found: NewNetwork[] = [];
    uses.onNewNetwork((use) => found.push(use));
    return { ...uses, found };
  };
  const stored = async (keyId: number) => {
    const rows = await database.db.select().from(apiKeyNetworks).where(eq(apiKeyNetworks.keyId, keyId));
    return rows.map(({ network }) => network).sort();
  };

  it('the first network of a key is no news; each further one is, once', async () => {
    const { userId, keyId } = await makeKey();
    const process = start();
    process.record(keyId, '/ai/v2', '203.0.113.7');
    await process.flush();
    expect(process.found).toEqual([]);
    process.record(keyId, '/ai/v2', '203.0.113.99');
    await process.flush();
    expect(process.found).toEqual([]);
    process.record(keyId, '/ai/imagen', '198.51.100.1');
    await process.flush();
    process.record(keyId, '/ai/v2', '198.51.100.2');
    await process.flush();
    expect(process.found).toEqual([
      { keyId, userId, network: '198.51.100.0/24', route: '/ai/imagen', at: clock.now() },
    ]);
    process.record(keyId, '/ai/v2', '2001:db8:1:2::3');
    await process.close();
    expect(process.found.map(({ network }) => network)).toEqual(['198.51.100.0/24', '2001:db8:1::/48']);
    expect(await stored(keyId)).toEqual(['198.51.100.0/24', '2001:db8:1::/48', '203.0.113.0/24']);
  });

  it('networks between two writes are all noticed, the earliest one is the known one', async () => {
    const { keyId } = await makeKey();
    const process = start();
    process.record(keyId, '/first', '203.0.113.7');
    await clock.advance(10);
    process.record(keyId, '/second', '198.51.100.1');
    process.record(keyId, '/third', '203.0.113.7');
    await process.close();
    expect(process.found).toMatchObject([{ network: '198.51.100.0/24', route: '/second', at: clock.now() }]);
  });

  it('of several processes at once exactly one reports a network', async () => {
    const { keyId } = await makeKey();
    const processes = Array.from({ length: 5 }, start);
    processes[0]?.record(keyId, '/ai/v2', '203.0.113.7');
    await processes[0]?.flush();
    for (const process of processes) process.record(keyId, '/ai/v2', '198.51.100.1');
    await Promise.all(processes.map((process) => process.close()));
    expect(processes.flatMap(({ found }) => found)).toHaveLength(1);
  });

  it('of several first networks at once all but one are reported', async () => {
    const { keyId } = await makeKey();
    const processes = Array.from({ length: 4 }, start);
    for (const [at, process] of processes.entries()) process.record(keyId, '/ai/v2', `203.0.${at}.7`);
    await Promise.all(processes.map((process) => process.close()));
    expect(processes.flatMap(({ found }) => found)).toHaveLength(3);
    expect(await stored(keyId)).toHaveLength(4);
  });

  it('a process that starts later knows what others have stored', async () => {
    const { keyId } = await makeKey();
    for (const address of ['203.0.113.7', '198.51.100.1']) {
      const process = start();
      process.record(keyId, '/ai/v2', address);
      await process.close();
    }
    const late = start();
    for (const address of ['203.0.113.7', '198.51.100.1']) late.record(keyId, '/ai/v2', address);
    await late.close();
    expect(late.found).toEqual([]);
  });

  it('the universal key and revoked keys have no networks', async () => {
    await ensureUniversalKey(database.db, 'a-universal-key-of-the-settings', '/nowhere');
    const universal = await accounts.findByApiKey('a-universal-key-of-the-settings');
    const { userId, keyId } = await makeKey();
    await createApiKeys({ db: database.db, clock }).revoke(userId, keyId);
    const process = start();
    for (const id of [universal?.keyId ?? 0, keyId, 999_999]) {
      process.record(id, '/ai/v2', '203.0.113.7');
      process.record(id, '/ai/v2', '198.51.100.1');
    }
    await process.close();
    expect(process.found).toEqual([]);
    expect([...(await stored(universal?.keyId ?? 0)), ...(await stored(keyId))]).toEqual([]);
  });

  it('keeps at most 50 networks of a key', async () => {
    const { keyId } = await makeKey();
    const process = start();
    for (let at = 0; at < 120; at += 1) {
      process.record(keyId, '/ai/v2', `10.0.${at}.1`);
      if (at % 10 === 9) await process.flush();
    }
    await process.close();
    expect(await stored(keyId)).toHaveLength(50);
    expect(process.found).toHaveLength(49);
  });
});
