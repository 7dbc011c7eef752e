import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Accounts,
  createAccounts,
  createApiKeys,
  createKeyPolicySchemas,
  MAX_OVERLAP_MS,
} from '../../src/core/accounts/index.ts';
import { apiKeys } from '../../src/database/schema/index.ts';
import { createFakeClock } from '../support/machine/fake-clock.ts';
import { describeOnEveryDatabase, type TestDatabase } from '../support/stores/test-database.ts';

const DAY = 86_400_000;
const POLICY = {
  note: 'of the build server',
  allowedModels: ['gpt-*', 'fake/*'],
  requestsPerMinute: 5,
  tokensPerDay: 1000,
  atOnce: 2,
};
const NO_POLICY = {
  note: undefined,
  expiresAt: undefined,
  allowedModels: undefined,
  requestsPerMinute: undefined,
  tokensPerDay: undefined,
  atOnce: undefined,
};

function needed<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('a value is missing');
  return value;
}

describeOnEveryDatabase('policies of API keys', (createDatabase) => {
  let database: TestDatabase;
  let accounts: Accounts;
  const clock = createFakeClock();
  beforeAll(async () => {
    database = await createDatabase();
    accounts = createAccounts({ db: database.db, clock, adminIds: [77] });
  });
  afterAll(() => database.close());

  const keys = () => createApiKeys({ db: database.db, clock });
  let telegramId = 1000;
  const createUser = async () => (await accounts.ensureTelegramUser(++telegramId)).id;
  const make = async (userId: number, rules = {}) => needed(await keys().create(userId, 'laptop', rules));
  /** Finds a key as a process that has not seen it. */
  const find = (secret: string) => createAccounts({ db: database.db, clock, adminIds: [77] }).findByApiKey(secret);

  it('a key has the rules it was created with, and the identity carries them', async () => {
    const userId = await createUser();
    const { key, secret } = await make(userId, POLICY);
    expect(key).toMatchObject({ scope: 'use', policy: { ...NO_POLICY, ...POLICY }, pausedAt: undefined });
    expect(await find(secret)).toEqual({
      userId,
      telegramId,
      isAdmin: false,
      keyId: key.id,
      scope: 'use',
      plan: 'free',
      policy: { ...NO_POLICY, ...POLICY },
    });
  });

  it('a key is found by its id under the same rules, whatever its secret', async () => {
    const userId = await createUser();
    const { key, secret } = await make(userId, POLICY);
    const { findByKeyId } = accounts;
    expect(await findByKeyId(key.id)).toEqual(await find(secret));
    await keys().rotate(userId, key.id, 0);
    expect(await findByKeyId(key.id)).toMatchObject({ userId, keyId: key.id });
    await keys().pause(userId, key.id);
    await expect(findByKeyId(key.id)).rejects.toMatchObject({ reason: 'paused' });
    await keys().resume(userId, key.id);
    const closed = createAccounts({ db: database.db, clock, adminIds: [], isAdmitted: async () => false });
    expect(await closed.findByKeyId(key.id)).toBeUndefined();
    await keys().revoke(userId, key.id);
    expect(await findByKeyId(key.id)).toBeUndefined();
    expect(await findByKeyId(0)).toBeUndefined();
  });

  it('a change keeps what it does not name, and undefined removes a rule', async () => {
    const userId = await createUser();
    const { key, secret } = await make(userId, POLICY);
    const changed = await keys().change(userId, key.id, { note: undefined, requestsPerMinute: 9 });
    expect(changed?.policy).toEqual({ ...NO_POLICY, ...POLICY, note: undefined, requestsPerMinute: 9 });
    expect((await find(secret))?.policy).toEqual(changed?.policy);
    expect(await keys().change(userId, key.id, {})).toEqual(changed);
  });

  it('a change works in every process within a second', async () => {
    const userId = await createUser();
    const { key, secret } = await make(userId);
    await accounts.findByApiKey(secret);
    await keys().change(userId, key.id, { requestsPerMinute: 3 });
    await clock.advance(1000);
    expect((await accounts.findByApiKey(secret))?.policy.requestsPerMinute).toBe(3);
  });

  it('a key ends at the exact moment, although it was looked up before', async () => {
    const { secret } = await make(await createUser(), { expiresAt: new Date(clock.now() + 500) });
    await accounts.findByApiKey(secret);
    await clock.advance(499);
    expect(await accounts.findByApiKey(secret)).toBeDefined();
    await clock.advance(1);
    await expect(accounts.findByApiKey(secret)).rejects.toMatchObject({ reason: 'expired' });
    await expect(find(secret)).rejects.toMatchObject({ reason: 'expired' });
  });

  it('a paused key is refused until it is resumed', async () => {
    const userId = await createUser();
    const { key, secret } = await make(userId);
    const pausedAt = new Date(clock.now());
    expect(await keys().pause(userId, key.id)).toMatchObject({ pausedAt });
    await clock.advance(5000);
    expect(await keys().pause(userId, key.id)).toMatchObject({ pausedAt });
    await expect(find(secret)).rejects.toMatchObject({ reason: 'paused' });
    expect(await keys().resume(userId, key.id)).toMatchObject({ pausedAt: undefined });
    expect(await find(secret)).toBeDefined();
  });

  describe('rotation', () => {
    it('gives a new secret for the same key; the old one works until the exact end of the overlap', async () => {
      const userId = await createUser();
      const { key, secret: old } = await make(userId, POLICY);
      const rotated = needed(await keys().rotate(userId, key.id, 3_600_000));
      expect(rotated.secret).not.toBe(old);
      expect(rotated.key).toMatchObject({ id: key.id, label: 'laptop', policy: key.policy });
      expect(rotated.key.prefix).toBe(rotated.secret.slice(0, 10));
      await accounts.findByApiKey(old);
      await clock.advance(3_600_000 - 1);
      expect(await accounts.findByApiKey(old)).toMatchObject({ keyId: key.id });
      await accounts.findByApiKey(old);
      await clock.advance(1);
      expect(await accounts.findByApiKey(old)).toBeUndefined();
      expect(await find(old)).toBeUndefined();
      expect(await find(rotated.secret)).toMatchObject({ keyId: key.id, policy: key.policy });
    });

    it('without overlap the old secret ends at once', async () => {
      const userId = await createUser();
      const { key, secret } = await make(userId);
      const rotated = needed(await keys().rotate(userId, key.id, 0));
      expect(await find(secret)).toBeUndefined();
      expect(await find(rotated.secret)).toMatchObject({ keyId: key.id });
    });

    it('a second rotation ends the older secret during its overlap', async () => {
      const userId = await createUser();
      const { key, secret: first } = await make(userId);
      const second = needed(await keys().rotate(userId, key.id, DAY)).secret;
      const third = needed(await keys().rotate(userId, key.id, DAY)).secret;
      expect(await find(first)).toBeUndefined();
      expect(await find(second)).toMatchObject({ keyId: key.id });
      expect(await find(third)).toMatchObject({ keyId: key.id });
    });

    it('of many at once exactly two secrets work: the last one and the one before', async () => {
      const userId = await createUser();
      const { key, secret } = await make(userId);
      const made = await Promise.all(Array.from({ length: 8 }, () => keys().rotate(userId, key.id, DAY)));
      const secrets = [secret, ...made.map((one) => needed(one).secret)];
      const found = await Promise.all(secrets.map(find));
      expect(found.filter((one) => one !== undefined)).toHaveLength(2);
      expect(found[0]).toBeUndefined();
    });

    it('no secret works after a revocation at the same time', async () => {
      for (let round = 0; round < 5; round += 1) {
        const userId = await createUser();
        const { key, secret } = await make(userId);
        const [rotated, isRevoked] = await Promise.all([
          keys().rotate(userId, key.id, DAY),
          keys().revoke(userId, key.id),
        ]);
        expect(isRevoked).toBe(true);
        expect(await find(secret)).toBeUndefined();
        if (rotated) expect(await find(rotated.secret)).toBeUndefined();
        expect(await keys().rotate(userId, key.id, DAY)).toBeUndefined();
      }
    });

    it('applies expiry and pause to both secrets', async () => {
      const userId = await createUser();
      const { key, secret } = await make(userId, { expiresAt: new Date(clock.now() + 1000) });
      const rotated = needed(await keys().rotate(userId, key.id, DAY));
      await keys().pause(userId, key.id);
      await expect(find(secret)).rejects.toMatchObject({ reason: 'paused' });
      await clock.advance(1000);
      for (const one of [secret, rotated.secret]) {
        await expect(find(one)).rejects.toMatchObject({ reason: 'expired' });
      }
    });

    it.each([-1, MAX_OVERLAP_MS + 1, Number.NaN, Infinity])('refuses an overlap of %s ms', async (overlapMs) => {
      const userId = await createUser();
      const { key, secret } = await make(userId);
      await expect(keys().rotate(userId, key.id, overlapMs)).rejects.toThrow(RangeError);
      expect(await find(secret)).toBeDefined();
    });

    it('stores no secret', async () => {
      const userId = await createUser();
      const { key, secret } = await make(userId);
      const rotated = needed(await keys().rotate(userId, key.id, DAY));
      const rows = JSON.stringify(await database.db.select().from(apiKeys).where(eq(apiKeys.id, key.id)));
      for (const one of [secret, rotated.secret]) expect(rows).not.toContain(one.slice(0, 11));
    });
  });

  it('another user can neither read nor change a key', async () => {
    const owner = await createUser();
    const other = await createUser();
    const { key, secret } = await make(owner, POLICY);
    const attempts = [
      keys().find(other, key.id),
      keys().rename(other, key.id, 'mine'),
      keys().change(other, key.id, { allowedModels: undefined }),
      keys().change(other, key.id, {}),
      keys().pause(other, key.id),
      keys().resume(other, key.id),
      keys().rotate(other, key.id, 0),
    ];
    expect(await Promise.all(attempts)).toEqual(attempts.map(() => undefined));
    expect(await keys().revoke(other, key.id)).toBe(false);
    expect(await keys().list(other)).toEqual([]);
    expect(await keys().find(owner, key.id)).toEqual(key);
    expect(await find(secret)).toBeDefined();
  });

  it('a key of an admin says so while the owner is one', async () => {
    const { id } = await accounts.ensureTelegramUser(77);
    const { secret } = await make(id, { scope: 'manage' });
    expect(await find(secret)).toMatchObject({ scope: 'manage', isAdmin: true, telegramId: 77 });
    const later = createAccounts({ db: database.db, clock, adminIds: [] });
    expect(await later.findByApiKey(secret)).toMatchObject({ scope: 'manage', isAdmin: false });
  });
});

describe('schemas of policies', () => {
  const NOW = Date.UTC(2027, 0, 1);
  const schemas = createKeyPolicySchemas(NOW);

  it.each<[keyof typeof schemas, unknown]>([
    ['note', ''],
    ['note', '  '],
    ['note', 'a'.repeat(501)],
    ['note', 'a\u0000'],
    ['note', 7],
    ['expiresAt', new Date(NOW)],
    ['expiresAt', new Date(NOW - 1)],
    ['expiresAt', new Date(Number.NaN)],
    ['expiresAt', new Date(8.64e15)],
    ['expiresAt', '2028-01-01'],
    ['allowedModels', []],
    ['allowedModels', ['']],
    ['allowedModels', ['a\nb']],
    ['allowedModels', ['a'.repeat(201)]],
    ['allowedModels', ['*a*a*a*a*a*']],
    ['allowedModels', Array.from({ length: 51 }, (_, at) => `model-${at}`)],
    ['allowedModels', 'gpt-*'],
    ['allowedModels', [7]],
    ['requestsPerMinute', 0],
    ['requestsPerMinute', -1],
    ['requestsPerMinute', 1.5],
    ['requestsPerMinute', Number.NaN],
    ['requestsPerMinute', 1e308],
    ['tokensPerDay', 0],
    ['tokensPerDay', Infinity],
    ['atOnce', 10_001],
  ])('%s of %j is refused', (field, value) => {
    const checked = schemas[field].safeParse(value);
    expect(checked.error?.issues[0]?.message).toMatch(/^must /);
  });

  it.each<[keyof typeof schemas, unknown]>([
    ['note', 'of the build server'],
    ['expiresAt', new Date(NOW + 1)],
    ['allowedModels', ['*', 'gpt-*', 'sd-webui/a model [with spaces]', 'a'.repeat(200)]],
    ['requestsPerMinute', 1],
    ['tokensPerDay', 1_000_000_000_000],
    ['atOnce', 10_000],
  ])('%s of %j is accepted', (field, value) => {
    expect(schemas[field].safeParse(value).data).toEqual(value);
  });
});
