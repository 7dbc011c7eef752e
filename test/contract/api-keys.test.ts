import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  type Accounts,
  createAccounts,
  createApiKeys,
  createKeyUses,
  ensureUniversalKey,
} from '../../src/core/accounts/index.ts';
import { apiKeys } from '../../src/database/schema/index.ts';
import { createLogger } from '../../src/lib/log/logger.ts';
import { createFakeClock } from '../support/machine/fake-clock.ts';
import { describeOnEveryDatabase, type TestDatabase } from '../support/stores/test-database.ts';

const logger = createLogger({ level: 'silent' });

describeOnEveryDatabase('API keys', (createDatabase) => {
  let database: TestDatabase;
  let accounts: Accounts;
  let folder: string;
  const keyPath = () => join(folder, 'universal-api-key');
  const clock = createFakeClock();
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'switchboard-key-'));
    database = await createDatabase();
    accounts = createAccounts({ db: database.db, clock, adminIds: [77] });
  });
  afterAll(async () => {
    await database.close();
    await rm(folder, { recursive: true, force: true });
  });

  const keysOf = (maxKeys?: number) => createApiKeys({ db: database.db, clock }, { maxKeys });
  let telegramId = 1000;
  const createUser = async () => (await accounts.ensureTelegramUser(++telegramId)).id;
  const make = async (userId: number, label = 'laptop') => {
    const made = await keysOf().create(userId, label);
    if (!made) throw new Error('no key was made');
    return made;
  };

  it('a key works as soon as it is created, and only its hash and first characters are stored', async () => {
    const userId = await createUser();
    const { key, secret } = await make(userId);
    expect(secret).toMatch(/^sk-sb-[\w-]{43}$/);
    expect(await accounts.findByApiKey(secret)).toMatchObject({ userId, keyId: key.id, plan: 'free' });
    expect(key).toMatchObject({ label: 'laptop', prefix: secret.slice(0, 10), lastUse: undefined });
    const rows = await database.db.select().from(apiKeys).where(eq(apiKeys.id, key.id));
    expect(JSON.stringify(rows)).not.toContain(secret.slice(0, 11));
  });

  it('the maximum number of keys per user holds under concurrent requests', async () => {
    const userId = await createUser();
    const made = await Promise.all(Array.from({ length: 12 }, (_, at) => keysOf(5).create(userId, `key ${at}`)));
    expect(made.filter((one) => one !== undefined)).toHaveLength(5);
    const own = await keysOf().list(userId);
    expect(own).toHaveLength(5);
    await keysOf().revoke(userId, own[0]?.id ?? 0);
    expect(await keysOf(5).create(userId, 'in its place')).toBeDefined();
  });

  it('a revoked key is refused by every process after a second at most', async () => {
    const other = createAccounts({ db: database.db, clock, adminIds: [] });
    const userId = await createUser();
    const { key, secret } = await make(userId);
    for (const process of [accounts, other]) expect(await process.findByApiKey(secret)).toBeDefined();
    await clock.advance(900);
    // Looks the key up just before it is revoked, so that the cache entry is as fresh as possible.
    expect(await other.findByApiKey(secret)).toBeDefined();
    expect(await keysOf().revoke(userId, key.id)).toBe(true);
    expect(await keysOf().revoke(userId, key.id)).toBe(false);
    await clock.advance(1000);
    for (const process of [accounts, other]) expect(await process.findByApiKey(secret)).toBeUndefined();
    expect(await keysOf().list(userId)).toEqual([]);
  });

  it('a user can not find, rename or revoke a key of another user, nor the universal key', async () => {
    const [ann, bob] = [await createUser(), await createUser()];
    const { key, secret } = await make(ann);
    expect(await keysOf().find(bob, key.id)).toBeUndefined();
    expect(await keysOf().rename(bob, key.id, 'mine')).toBeUndefined();
    expect(await keysOf().revoke(bob, key.id)).toBe(false);
    expect((await keysOf().rename(ann, key.id, 'desk'))?.label).toBe('desk');
    expect(await accounts.findByApiKey(secret)).toBeDefined();

    await ensureUniversalKey(database.db, 'a-universal-key-of-the-settings', keyPath());
    const universal = await accounts.findByApiKey('a-universal-key-of-the-settings');
    expect(universal?.plan).toBe('universal');
    expect(await keysOf().list(universal?.userId ?? 0)).toEqual([]);
    expect(await keysOf().revoke(universal?.userId ?? 0, universal?.keyId ?? 0)).toBe(false);
  });

  it('the universal key can be switched off and replaced by a new one', async () => {
    const first = 'a-universal-key-of-the-settings';
    await ensureUniversalKey(database.db, first, keyPath());
    const owner = (await accounts.findByApiKey(first))?.userId;
    expect(await ensureUniversalKey(database.db, 'off', keyPath())).toEqual({ kind: 'off' });
    await clock.advance(1000);
    expect(await accounts.findByApiKey(first)).toBeUndefined();
    expect(await accounts.findByApiKey('off')).toBeUndefined();
    await ensureUniversalKey(database.db, undefined, keyPath());
    const second = (await readFile(keyPath(), 'utf8')).trim();
    expect(await accounts.findByApiKey(second)).toMatchObject({ userId: owner, plan: 'universal' });
  });

  it('the time of the last use is stored and never replaced by an earlier one', async () => {
    const userId = await createUser();
    const { key } = await make(userId);
    const late = createFakeClock(Date.UTC(2026, 10, 21, 12));
    const early = createFakeClock(Date.UTC(2026, 10, 21, 11));
    const uses = createKeyUses({ db: database.db, clock: late, logger });
    uses.record(key.id, '/ai/v2', '2001:db8:aa:bb::1');
    uses.record(key.id, '/ai/imagen', '203.0.113.77');
    await uses.close();
    const other = createKeyUses({ db: database.db, clock: early, logger });
    other.record(key.id, '/ai/v2', '198.51.100.1');
    await other.close();
    expect((await keysOf().find(userId, key.id))?.lastUse).toEqual({
      at: new Date(late.now()),
      route: '/ai/imagen',
      network: '203.0.113.0/24',
    });
  });

  it('uses are written within seconds, and deleted keys do not disturb the write', async () => {
    const userId = await createUser();
    const { key } = await make(userId);
    const uses = createKeyUses({ db: database.db, clock, logger });
    uses.record(key.id, '/ai/v2', '::ffff:203.0.113.5');
    uses.record(999_999, '/ai/v2', '203.0.113.5');
    await clock.advance(2000);
    const lastUse = async () => (await keysOf().find(userId, key.id))?.lastUse?.network;
    await expect.poll(lastUse).toBe('203.0.113.0/24');
    await uses.close();
  });

  it('the plan is the one assigned to the user, else the default of users or of admins', async () => {
    const { id } = await accounts.ensureTelegramUser(++telegramId);
    expect(await accounts.findPlan(id)).toBe('free');
    expect((await accounts.setPlan(id, 'trusted')).plan).toBe('trusted');
    const { secret } = await make(id);
    expect((await accounts.findByApiKey(secret))?.plan).toBe('trusted');
    expect(await accounts.findPlan(id)).toBe('trusted');
    await accounts.setPlan(id, undefined);
    expect((await accounts.findByApiKey(secret))?.plan).toBe('free');
    expect(await accounts.findPlan(id)).toBe('free');

    const boss = await accounts.ensureTelegramUser(77);
    expect(boss.plan).toBe('admin');
    const { secret: key } = await make(boss.id);
    expect((await accounts.findByApiKey(key))?.plan).toBe('admin');
    // An admin removed from the list loses the admin plan at the next start, even without writing again.
    const later = createAccounts({ db: database.db, clock, adminIds: [] });
    expect((await later.findByApiKey(key))?.plan).toBe('free');
    expect((await later.findUser(boss.id))?.plan).toBe('free');
  });
});
