import { afterAll, beforeAll, expect, it } from 'vitest';
import { createAccounts, createApiKeys } from '../../src/core/accounts/index.ts';
import { createAdministration } from '../../src/core/administration/index.ts';
import { createFakeClock, type FakeClock } from '../support/machine/fake-clock.ts';
import { describeOnEveryDatabase, type TestDatabase } from '../support/stores/test-database.ts';

const CHIEF = 77;

describeOnEveryDatabase('administration', (createDatabase) => {
  let database: TestDatabase;
  let clock: FakeClock;
  beforeAll(async () => {
    database = await createDatabase();
    clock = createFakeClock(Date.UTC(2026, 10, 21));
  });
  afterAll(() => database.close());

  const open = (allowedIds: readonly number[] = []) =>
    createAdministration({ db: database.db, clock, adminIds: [CHIEF], allowedIds });
  const about = (telegramId: number, reason = '') => ({ adminTelegramId: CHIEF, telegramId, reason });

  it('bans a user once, applies the ban in every process at once, and lifts it', async () => {
    const [here, elsewhere] = [open(), open()];
    expect(await elsewhere.admit(1)).toBe('welcome');
    const outcomes = await Promise.all([here.ban(about(1)), elsewhere.ban(about(1))]);
    expect(outcomes.toSorted()).toEqual(['already', 'done']);
    expect(await elsewhere.admit(1)).toBe('banned');
    expect(await here.unban(about(1))).toBe(true);
    expect(await here.unban(about(1))).toBe(false);
    expect(await elsewhere.admit(1)).toBe('welcome');
  });

  it('looks up valid ids that are requested together with an impossible id', async () => {
    const service = open();
    const asked = [3, 4.5, Number.NaN, 4].map((telegramId) => service.admit(telegramId));
    const outcomes = await Promise.allSettled(asked);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled']);
  });

  it('bans no admin, and admits an admin whatever the tables contain', async () => {
    expect(await open().ban(about(CHIEF))).toBe('admin');
    expect(await open([5]).admit(CHIEF)).toBe('welcome');
  });

  it('admits all users without a list and only listed users with one; a ban overrides the list', async () => {
    expect(open().isPrivate).toBe(false);
    const club = open([5]);
    expect(club.isPrivate).toBe(true);
    expect([await club.admit(5), await club.admit(6)]).toEqual(['welcome', 'stranger']);
    expect([await club.allow(about(6)), await club.allow(about(6)), await club.allow(about(5))]).toEqual([
      true,
      false,
      false,
    ]);
    expect(await club.admit(6)).toBe('welcome');
    await club.ban(about(6));
    expect(await club.admit(6)).toBe('banned');
    await club.unban(about(6));
    expect([await club.disallow(about(6)), await club.disallow(about(6)), await club.disallow(about(5))]).toEqual([
      'done',
      'already',
      'fixed',
    ]);
    expect(await club.admit(6)).toBe('stranger');
  });

  it('applies a new list of admins and a new access list at once', async () => {
    const deps = { db: database.db, clock, adminIds: [CHIEF], allowedIds: [5] };
    const club = createAdministration(deps);
    expect([await club.admit(5), await club.admit(7), await club.admit(8)]).toEqual([
      'welcome',
      'stranger',
      'stranger',
    ]);
    Object.assign(deps, { adminIds: [8], allowedIds: [7] });
    expect([await club.admit(5), await club.admit(7), await club.admit(8)]).toEqual(['stranger', 'welcome', 'welcome']);
    expect(await club.ban(about(8))).toBe('admin');
    Object.assign(deps, { allowedIds: [] });
    expect([club.isPrivate, await club.admit(5)]).toEqual([false, 'welcome']);
  });

  it('logs admin, action, user, time and reason, newest first, and skips actions that change nothing', async () => {
    const administration = open();
    await administration.ban(about(11, 'spam\u0000'));
    await administration.ban(about(11, 'again'));
    await clock.advance(60_000);
    await administration.record({ adminTelegramId: CHIEF, action: 'take-down', subject: 'file-id', reason: '' });
    const newest = await administration.listActions(2);
    expect(newest).toEqual([
      { adminTelegramId: CHIEF, action: 'take-down', subject: 'file-id', reason: '', createdAt: new Date(clock.now()) },
      {
        adminTelegramId: CHIEF,
        action: 'ban',
        subject: '11',
        reason: 'spam',
        createdAt: new Date(clock.now() - 60_000),
      },
    ]);
  });

  it('disables the API keys of a banned user within a second and enables them when the ban is lifted', async () => {
    const administration = open();
    const isAdmitted = async (id: number) => (await administration.admit(id)) === 'welcome';
    const accounts = createAccounts({ db: database.db, clock, adminIds: [CHIEF], isAdmitted });
    const person = await accounts.ensureTelegramUser(21);
    const made = await createApiKeys({ db: database.db, clock }).create(person.id, 'laptop');
    const secret = made?.secret ?? '';
    expect(await accounts.findByApiKey(secret)).toMatchObject({ userId: person.id });
    await administration.ban(about(21));
    await clock.advance(1000);
    expect(await accounts.findByApiKey(secret)).toBeUndefined();
    await administration.unban(about(21));
    await clock.advance(1000);
    expect(await accounts.findByApiKey(secret)).toMatchObject({ userId: person.id });
  });
});
