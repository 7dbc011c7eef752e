import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  type Accounts,
  createAccounts,
  ensureUniversalKey,
  rotateUniversalKey,
} from '../../src/core/accounts/index.ts';
import { apiKeys } from '../../src/database/schema/index.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { describeOnEveryDatabase, type TestDatabase } from '../support/test-database.ts';

describeOnEveryDatabase('accounts', (createDatabase) => {
  let database: TestDatabase;
  let accounts: Accounts;
  const clock = createFakeClock();
  beforeAll(async () => {
    database = await createDatabase();
    accounts = createAccounts({ db: database.db, clock, adminIds: [77] });
  });
  afterAll(() => database.close());

  it('a Telegram account becomes one person, however often and however simultaneously it writes', async () => {
    const people = await Promise.all(Array.from({ length: 8 }, () => accounts.ensureTelegramPerson(5_000_000_001)));
    expect(new Set(people.map((person) => person.id)).size).toBe(1);
    expect(people[0]).toMatchObject({ telegramId: 5_000_000_001, role: 'user', settings: {} });
  });

  it('whoever stands in the list of admins is one, and is none after leaving it', async () => {
    expect((await accounts.ensureTelegramPerson(77)).role).toBe('admin');
    const later = createAccounts({ db: database.db, clock, adminIds: [] });
    expect((await later.ensureTelegramPerson(77)).role).toBe('user');
  });

  it('settings change field by field and return to the default by undefined', async () => {
    const { id } = await accounts.ensureTelegramPerson(2);
    await Promise.all([
      accounts.updateSettings(id, { model: 'o\'model "1"' }),
      accounts.updateSettings(id, { systemPrompt: 'Рифмуй 🙂' }),
    ]);
    expect((await accounts.ensureTelegramPerson(2)).settings).toEqual({
      model: 'o\'model "1"',
      systemPrompt: 'Рифмуй 🙂',
    });
    const changed = await accounts.updateSettings(id, { model: undefined, language: 'ru' });
    expect(changed.settings).toEqual({ systemPrompt: 'Рифмуй 🙂', language: 'ru' });
  });

  it('the universal key is made once, by one of those that start, shown once and kept as a hash only', async () => {
    const starts = await Promise.all(Array.from({ length: 4 }, () => ensureUniversalKey(database.db, undefined)));
    const [key, ...others] = starts.filter((made) => made !== undefined);
    expect(others).toEqual([]);
    expect(key).toMatch(/^sk-sb-[\w-]{43}$/);
    expect(await ensureUniversalKey(database.db, undefined)).toBeUndefined();
    const identity = await accounts.findByApiKey(key ?? '');
    expect(identity?.personId).toBeTypeOf('number');
    const rows = await database.db
      .select()
      .from(apiKeys)
      .where(eq(apiKeys.id, identity?.keyId ?? 0));
    expect(JSON.stringify(rows)).not.toContain(key);
  });

  it('a rotated universal key replaces the old one within a second and keeps its user number', async () => {
    const first = await rotateUniversalKey(database.db);
    const owner = (await accounts.findByApiKey(first))?.personId;
    expect(owner).toBeTypeOf('number');
    const second = await rotateUniversalKey(database.db);
    await clock.advance(1000);
    expect(await accounts.findByApiKey(first)).toBeUndefined();
    expect((await accounts.findByApiKey(second))?.personId).toBe(owner);
  });

  it('a universal key from the settings replaces any other, and a return to an earlier one works', async () => {
    for (const key of ['first-configured-key', 'second-configured-key', 'first-configured-key']) {
      expect(await ensureUniversalKey(database.db, key)).toBeUndefined();
      await clock.advance(1000);
      expect(await accounts.findByApiKey(key)).toBeDefined();
    }
    expect(await accounts.findByApiKey('second-configured-key')).toBeUndefined();
  });

  it('unknown keys have no owner', async () => {
    expect(await accounts.findByApiKey('')).toBeUndefined();
    expect(await accounts.findByApiKey("' or 1=1 --")).toBeUndefined();
  });
});
