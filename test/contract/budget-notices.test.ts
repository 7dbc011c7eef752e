import { eq, sql } from 'drizzle-orm';
import { expect, it } from 'vitest';
import { createApiKeys, markAdminRules } from '../../src/core/accounts/index.ts';
import { createBudgetNotices } from '../../src/core/budget-notices/index.ts';
import { type BudgetUse, createBudgets, type InstanceBudget, type Plans } from '../../src/core/limits/index.ts';
import { adminActions, budgetNotices, limitCounters, users } from '../../src/database/schema/index.ts';
import { createLogger } from '../../src/lib/log/logger.ts';
import { createFakeClock } from '../support/machine/fake-clock.ts';
import { describeOnEveryDatabase } from '../support/stores/test-database.ts';
import { watchDatabase } from '../support/stores/watched-database.ts';
import { startBeforeAll } from '../support/vitest/tiers.ts';

const logger = createLogger({ level: 'silent' });
const EVENING = Date.UTC(2026, 10, 30, 23);
const HOUR_MS = 3_600_000;
const PLANS: Plans = { free: { user: { usdPerDay: 1, usdTotal: 1 }, raiseByUsd: [1, 5] } };

describeOnEveryDatabase('notices about budgets', (createDatabase) => {
  const database = startBeforeAll(() => createDatabase());

  /** The notices of one process. */
  const open = ({
    db = database.db,
    clock = createFakeClock(EVENING),
    rules = { plans: PLANS } as { readonly plans: Plans; readonly budget?: InstanceBudget },
  } = {}) => {
    const groups = {
      find: async () => ({ settings: {}, storesRecentMessages: false, admittedBy: undefined, plan: undefined }),
    };
    const findPlan = async () => 'free';
    return createBudgetNotices({ db, clock, logger, groups, findPlan, rules, budgets: createBudgets({ db, clock }) });
  };
  const createUser = async () => {
    const [row] = await database.db.insert(users).values({}).returning();
    return row?.id ?? 0;
  };
  const spend = async (scope: string, usd: number, now = EVENING) => {
    const day = new Date(now).toISOString().slice(0, 10);
    const counted = { day, dayUsd: usd, month: `${day.slice(0, 8)}01`, monthUsd: usd, totalUsd: usd };
    await database.db
      .insert(limitCounters)
      .values({ scope, minuteBeganAt: new Date(now), ...counted })
      .onConflictDoUpdate({ target: limitCounters.scope, set: counted });
  };
  const use = (userId: number, spentUsd: number, more: Partial<BudgetUse> = {}): BudgetUse => ({
    ...{ scope: `user:${userId}`, period: 'day', limitUsd: 1, spentUsd, hasRefused: false, userId },
    ...more,
  });
  const check = async (notices: ReturnType<typeof open>, spent: BudgetUse) => {
    notices.check([spent]);
    await notices.flush();
  };
  const listUnsent = async (userId: number) => (await open().listUnsent()).filter((notice) => notice.userId === userId);
  const levels = async (userId: number) => (await listUnsent(userId)).map(({ level }) => level);
  const deliverAll = async (userId: number) => {
    for (const notice of await listUnsent(userId)) await open().conclude(notice);
  };
  const findOnly = async (userId: number) => {
    const [notice, ...others] = await listUnsent(userId);
    if (!notice || others.length > 0) throw new Error(`${others.length + 1} notices`);
    return notice;
  };

  it('are made at 80 % and at 100 %, each once over many checks of three processes', async () => {
    const userId = await createUser();
    const scope = `user:${userId}`;
    const processes = [open(), open(), open()];
    const checkInAll = (spentUsd: number) =>
      Promise.all(processes.flatMap((one) => Array.from({ length: 20 }, () => check(one, use(userId, spentUsd)))));
    await spend(scope, 0.799999999);
    await checkInAll(0.799999999);
    expect(await levels(userId)).toEqual([]);
    await spend(scope, 0.8);
    await checkInAll(0.8);
    expect(await levels(userId)).toEqual([80]);
    await deliverAll(userId);
    await spend(scope, 1);
    await checkInAll(1);
    expect(await levels(userId)).toEqual([100]);
    await deliverAll(userId);
    await checkInAll(1);
    expect(await levels(userId)).toEqual([]);
    expect(await database.db.select().from(budgetNotices).where(eq(budgetNotices.scope, scope))).toHaveLength(2);
  });

  it('follow the exact sum of the database, not the rounded one of a process', async () => {
    const userId = await createUser();
    await spend(`user:${userId}`, 0.799999999);
    await check(open(), use(userId, 0.8));
    expect(await levels(userId)).toEqual([]);
  });

  it('of both levels at once are one', async () => {
    const userId = await createUser();
    await spend(`user:${userId}`, 1.2);
    await check(open(), use(userId, 1.2));
    expect(await levels(userId)).toEqual([100]);
    await deliverAll(userId);
    // Another process, which sees a settlement of before.
    await check(open(), use(userId, 0.9));
    expect(await levels(userId)).toEqual([]);
  });

  it('of a budget whose rest is not enough for a request count as used up', async () => {
    const userId = await createUser();
    await spend(`user:${userId}`, 0.85);
    await check(open(), use(userId, 0.85, { hasRefused: true }));
    expect(await levels(userId)).toEqual([100]);
  });

  it('are not made for budgets of 0, and not below 80 % when a large request is refused', async () => {
    const userId = await createUser();
    await spend(`user:${userId}`, 0.5);
    await check(open(), use(userId, 0.5, { limitUsd: 0, hasRefused: true }));
    await check(open(), use(userId, 0.5, { hasRefused: true }));
    expect(await levels(userId)).toEqual([]);
  });

  it('cost no statement below the level, and none after it is known', async () => {
    const userId = await createUser();
    await spend(`user:${userId}`, 0.9);
    let statements = 0;
    const db = watchDatabase(database.db, async (moment) => {
      statements += moment === 'before' ? 1 : 0;
    });
    const notices = open({ db });
    await check(notices, use(userId, 0.5));
    expect(statements).toBe(0);
    await check(notices, use(userId, 0.9));
    const once = statements;
    expect(once).toBeGreaterThan(0);
    await check(notices, use(userId, 0.95));
    expect(statements).toBe(once);
  });

  it('are made again in the next period, and past ones are deleted', async () => {
    const userId = await createUser();
    const clock = createFakeClock(EVENING);
    const notices = open({ clock });
    await spend(`user:${userId}`, 0.9);
    await check(notices, use(userId, 0.9));
    await deliverAll(userId);
    await clock.advance(2 * HOUR_MS);
    // The counter is still that of yesterday.
    await check(notices, use(userId, 0.9));
    expect(await levels(userId)).toEqual([]);
    await spend(`user:${userId}`, 0.85, clock.now());
    await check(notices, use(userId, 0.85));
    expect(await levels(userId)).toEqual([80]);
    expect((await findOnly(userId)).resetsAt).toBe(Date.UTC(2026, 11, 2));
    await clock.advance(72 * HOUR_MS);
    await notices.sweep();
    expect(await levels(userId)).toEqual([]);
  });

  it('that were claimed by a killed process are left for the sender', async () => {
    const userId = await createUser();
    await spend(`user:${userId}`, 0.9);
    await check(open(), use(userId, 0.9));
    const notice = await findOnly(userId);
    expect(notice).toMatchObject({ scope: { kind: 'user', id: userId }, level: 80, sentTo: [] });
    await open().recordSent(notice, 77);
    expect((await findOnly(userId)).sentTo).toEqual([77]);
    await open().conclude(notice);
    expect(await listUnsent(userId)).toEqual([]);
  });

  it('raise a budget once, from the amount that applies, however often and from wherever it is pressed', async () => {
    const userId = await createUser();
    await spend(`user:${userId}`, 0.9);
    await check(open(), use(userId, 0.9));
    const { id: noticeId } = await findOnly(userId);
    const offer = { noticeId, limitUsd: 1, byUsd: 5 };
    const outcomes = await Promise.all(
      [open(), open(), open()].flatMap((one) => [one.raise(offer), one.raise({ ...offer, byUsd: 1 })]),
    );
    expect(outcomes.toSorted()).toEqual([...Array.from({ length: 5 }, () => 'already'), 'raised']);
    const notice = await open().find(noticeId);
    const budget = notice && (await open().readBudget(notice));
    expect(budget).toEqual({ limitUsd: 1 + (notice?.raisedByUsd ?? 0), spentUsd: 0.9 });
  });

  it('are made again when a raised budget is spent, and only then', async () => {
    const userId = await createUser();
    const scope = `user:${userId}`;
    const notices = open();
    await spend(scope, 0.99);
    await check(notices, use(userId, 0.99));
    const { id: noticeId } = await findOnly(userId);
    await deliverAll(userId);
    // 90 % of the raised budget: the owner knows.
    expect(await notices.raise({ noticeId, limitUsd: 1, byUsd: 0.1 })).toBe('raised');
    await check(notices, use(userId, 0.99, { limitUsd: 1.1 }));
    expect(await levels(userId)).toEqual([]);
    await spend(scope, 1.1);
    await check(notices, use(userId, 1.1, { limitUsd: 1.1 }));
    const { id, limitUsd } = await findOnly(userId);
    await deliverAll(userId);
    expect(await notices.raise({ noticeId: id, limitUsd, byUsd: 1 })).toBe('raised');
    await spend(scope, 1.7);
    await check(notices, use(userId, 1.7, { limitUsd: 2.1 }));
    expect(await levels(userId)).toEqual([80]);
    // A button of before offers what does not apply any more.
    expect(await notices.raise({ noticeId, limitUsd: 1, byUsd: 5 })).toBe('already');
  });

  it('do not raise a budget of yesterday or one that was removed', async () => {
    const userId = await createUser();
    const clock = createFakeClock(EVENING);
    await spend(`user:${userId}`, 0.9);
    await check(open(), use(userId, 0.9));
    const { id: noticeId } = await findOnly(userId);
    const offer = { noticeId, limitUsd: 1, byUsd: 1 };
    expect(await open({ rules: { plans: {} } }).raise(offer)).toBe('over');
    await clock.advance(2 * HOUR_MS);
    expect(await open({ clock }).raise(offer)).toBe('over');
    expect(await createBudgets({ db: database.db, clock }).readBudget(`user:${userId}`)).toEqual({});
  });

  it('do not lower a budget that the configuration has raised meanwhile', async () => {
    const userId = await createUser();
    await spend(`user:${userId}`, 0.9);
    await check(open(), use(userId, 0.9));
    const { id: noticeId } = await findOnly(userId);
    const notices = open({ rules: { plans: { free: { user: { usdPerDay: 20 } } } } });
    expect(await notices.raise({ noticeId, limitUsd: 1, byUsd: 1 })).toBe('raised');
    expect(
      await createBudgets({ db: database.db, clock: createFakeClock(EVENING) }).readBudget(`user:${userId}`),
    ).toEqual({
      usdPerDay: 21,
    });
  });

  it('of the instance offer a tenth and a half, and enter the audit log when an admin raises', async () => {
    const userId = await createUser();
    await spend('instance', 32);
    const notices = open({ rules: { plans: {}, budget: { usdPerMonth: 37 } } });
    await check(notices, use(userId, 32, { scope: 'instance', period: 'month', limitUsd: 37 }));
    const notice = await findOnly(userId);
    expect(await notices.listRaises(notice, { limitUsd: 37, spentUsd: 32 })).toEqual([4, 20]);
    const offer = { noticeId: notice.id, limitUsd: 37, byUsd: 4, adminTelegramId: 7 };
    expect(await Promise.all([notices.raise(offer), notices.raise({ ...offer, adminTelegramId: 8 })])).toContain(
      'raised',
    );
    expect(await database.db.select().from(adminActions)).toMatchObject([
      { action: 'raise-budget', subject: 'instance', reason: 'month: +4 USD, now 41 USD' },
    ]);
  });

  it('of a key offer no raises while an admin has set its budget', async () => {
    const userId = await createUser();
    const made = await createApiKeys({ db: database.db, clock: createFakeClock(EVENING) }).create(userId, 'laptop');
    const keyId = made?.key.id ?? 0;
    const scope = `key:${keyId}`;
    await createBudgets({ db: database.db, clock: createFakeClock(EVENING) }).setBudget(scope, { usdPerDay: 5 });
    await spend(scope, 5);
    await check(open(), use(userId, 5, { scope, limitUsd: 5 }));
    const notice = await findOnly(userId);
    const listRaises = () => open().listRaises(notice, { limitUsd: 5, spentUsd: 5 });
    expect(await listRaises()).toEqual([1, 5]);
    await markAdminRules(database.db, keyId, { set: ['budget'], removed: [] });
    expect(await listRaises()).toEqual([]);
    await markAdminRules(database.db, keyId, { set: [], removed: ['budget'] });
    expect(await listRaises()).toEqual([1, 5]);
  });

  it('know the owner of a key until it is revoked', async () => {
    const userId = await createUser();
    const apiKeys = createApiKeys({ db: database.db, clock: createFakeClock(EVENING) });
    const keyId = (await apiKeys.create(userId, 'laptop'))?.key.id ?? 0;
    expect(await open().findOwner({ kind: 'key', id: keyId })).toBe(userId);
    await apiKeys.revoke(userId, keyId);
    expect(await open().findOwner({ kind: 'key', id: keyId })).toBeUndefined();
  });

  it('survive the deletion of the user whose request they are about', async () => {
    const userId = await createUser();
    await spend('chat:-100', 1);
    await check(open(), use(userId, 1, { scope: 'chat:-100' }));
    await database.db.execute(sql`delete from users where id = ${userId}`);
    const [notice] = (await open().listUnsent()).filter(({ scope }) => scope.kind === 'chat');
    expect(notice?.userId).toBeUndefined();
    await check(open(), use(userId, 1, { scope: 'chat:-100', limitUsd: 1.2 }));
    expect((await open().listUnsent()).filter(({ scope }) => scope.kind === 'chat')).toHaveLength(2);
  });
});
