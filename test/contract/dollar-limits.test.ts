import { eq, like, sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createUsageRecorder } from '../../src/core/accounts/index.ts';
import {
  type BudgetUse,
  createBudgets,
  createLimits,
  type InstanceBudget,
  LimitExceededError,
  type Limits,
  ModelPriceUnknownError,
  type Plans,
  type Reservation,
} from '../../src/core/limits/index.ts';
import { limitCounters, limitReservations, usage, users } from '../../src/database/schema/index.ts';
import { createLogger } from '../../src/lib/log/logger.ts';
import { createFakeClock, type FakeClock } from '../support/machine/fake-clock.ts';
import { describeOnEveryDatabase, type TestDatabase } from '../support/stores/test-database.ts';

const logger = createLogger({ level: 'silent' });
const MORNING = Date.UTC(2026, 10, 21, 9);
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

interface Costs {
  readonly leastUsd: number;
  readonly mostUsd: number;
}

describeOnEveryDatabase('budgets in dollars', (createDatabase) => {
  let database: TestDatabase;
  const opened: Limits[] = [];
  beforeAll(async () => {
    database = await createDatabase();
  });
  afterAll(async () => {
    await Promise.all(opened.map((limits) => limits.close()));
    await database.close();
  });

  interface Rules {
    readonly plans?: Plans;
    readonly budget?: InstanceBudget;
    readonly onBudgetUse?: (uses: readonly BudgetUse[]) => void;
  }
  /** The limits of one process. */
  const open = (rules: Rules, clock: FakeClock = createFakeClock(MORNING)) => {
    const limits = createLimits({ db: database.db, clock, logger, plans: {}, findPlan: async () => 'free', ...rules });
    opened.push(limits);
    return limits;
  };
  const createUser = async () => {
    const [row] = await database.db.insert(users).values({}).returning();
    return { userId: row?.id ?? 0 };
  };
  const toRow = (userId: number, id: string, more: object = {}) => ({
    id,
    user_id: userId,
    kind: 'chat',
    model: 'm',
    provider: 'p',
    prompt_tokens: 1,
    completion_tokens: 1,
    image_count: 0,
    is_estimated: false,
    duration_ms: 1,
    ...more,
  });
  const ofUsd = (userId: number, costs: Costs | number | undefined) => ({
    tokens: () => 1,
    moreTokens: 0,
    images: 0,
    spending: {
      model: 'gpt',
      cost: () => (typeof costs === 'number' ? { leastUsd: costs, mostUsd: costs } : costs),
      usage: () => toRow(userId, crypto.randomUUID()),
    },
  });
  const spend = async (limits: Limits, requester: { readonly userId: number }, costUsd: number) => {
    const reservation = await limits.reserve(requester, ofUsd(requester.userId, costUsd));
    const row = toRow(requester.userId, crypto.randomUUID(), { cost_usd: costUsd });
    reservation.settle({ tokens: 2, images: 0, costUsd, usage: row });
    await limits.flush();
  };
  const refusalOf = (work: Promise<Reservation>) =>
    work.then(
      () => Promise.reject(new Error('not refused')),
      (error: unknown) => {
        if (error instanceof LimitExceededError) return error;
        throw error;
      },
    );
  const counterOf = async (scope: string) =>
    (await database.db.select().from(limitCounters).where(eq(limitCounters.scope, scope)))[0];
  const ledgerOf = (userId: number) => database.db.select().from(usage).where(eq(usage.userId, userId));

  it('a budget for ten requests admits exactly ten of a hundred at once in three processes', async () => {
    const plans = { free: { user: { usdPerMonth: 1 } } };
    const processes = [open({ plans }), open({ plans }), open({ plans })];
    const user = await createUser();
    const tries = await Promise.allSettled(
      Array.from({ length: 100 }, (_, at) => (processes[at % 3] as Limits).reserve(user, ofUsd(user.userId, 0.1))),
    );
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(10);
    const refusals = tries.flatMap((one) => (one.status === 'rejected' ? [one.reason as LimitExceededError] : []));
    expect(refusals.every(({ kind, isUsedUp }) => kind === 'dollars' && !isUsedUp)).toBe(true);
    for (const one of tries) if (one.status === 'fulfilled') one.value.settle({ tokens: 1, images: 0, costUsd: 0.1 });
    await Promise.all(processes.map((limits) => limits.flush()));
    expect(await counterOf(`user:${user.userId}`)).toMatchObject({ dayUsd: 1, monthUsd: 1, totalUsd: 1 });
    expect(await refusalOf((processes[0] as Limits).reserve(user, ofUsd(user.userId, 0.000000001)))).toMatchObject({
      isUsedUp: true,
      limit: 1,
      budget: { period: 'month', spentUsd: 1, resetsAt: Date.UTC(2026, 11, 1) },
    });
  });

  it('books the cost and its row of the ledger once, both or neither', async () => {
    const limits = open({ plans: { free: { user: { usdTotal: 5 }, key: { usdPerDay: 1 } } } });
    const user = { ...(await createUser()), keyId: 7001 };
    const reservation = await limits.reserve(user, ofUsd(user.userId, { leastUsd: 0.1, mostUsd: 0.5 }));
    expect(reservation.grantedUsd).toBe(0.5);
    const row = toRow(user.userId, crypto.randomUUID(), { cost_usd: 0.123456789, key_id: 7001 });
    reservation.settle({ tokens: 2, images: 0, costUsd: 0.123456789, usage: row });
    reservation.settle({ tokens: 2, images: 0, costUsd: 0.2, usage: { ...row, id: crypto.randomUUID() } });
    await limits.flush();
    for (const scope of [`user:${user.userId}`, 'key:7001'])
      expect(await counterOf(scope)).toMatchObject({ dayUsd: 0.123456789, totalUsd: 0.123456789 });
    expect(await ledgerOf(user.userId)).toMatchObject([{ costUsd: 0.123456789, createdAt: new Date(MORNING) }]);
    expect(await database.db.select().from(limitReservations).where(eq(limitReservations.scope, 'key:7001'))).toEqual(
      [],
    );
  });

  it('grants what is left of the tightest budget', async () => {
    const limits = open({
      plans: { free: { user: { usdTotal: 5, usdPerDay: 0.3 } } },
      budget: { usdPerMonth: 1000 },
    });
    const user = await createUser();
    const most = { leastUsd: 0.1, mostUsd: 10 };
    expect((await limits.reserve(user, ofUsd(user.userId, most))).grantedUsd).toBe(0.3);
    expect(await refusalOf(limits.reserve(user, ofUsd(user.userId, most)))).toMatchObject({
      isUsedUp: false,
      budget: { period: 'day', spentUsd: 0 },
    });
  });

  it.each([0.1, 0])('a budget of 0 refuses a request of %s dollars', async (usd) => {
    const limits = open({ plans: { free: { user: { usdTotal: 0 } } } });
    const user = await createUser();
    expect(await refusalOf(limits.reserve(user, ofUsd(user.userId, usd)))).toMatchObject({
      limit: 0,
      isUsedUp: true,
      retryAfterMs: Number.POSITIVE_INFINITY,
      budget: { period: 'total', resetsAt: undefined },
    });
  });

  it('free models can be used when a budget is used up', async () => {
    const limits = open({ plans: { free: { user: { usdTotal: 0.1 } } } });
    const user = await createUser();
    await spend(limits, user, 0.1);
    expect((await limits.reserve(user, ofUsd(user.userId, 0))).grantedUsd).toBe(0);
    await refusalOf(limits.reserve(user, ofUsd(user.userId, 0.000000001)));
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, 1e308, 1e9])(
    'refuses a request that costs %s dollars',
    async (usd) => {
      const limits = open({ plans: { free: { user: { usdTotal: 999_999 } } } });
      const user = await createUser();
      await refusalOf(limits.reserve(user, ofUsd(user.userId, usd)));
    },
  );

  it.each([Number.NaN, -1, 1e308, 0.0000000001])('a cost of %s dollars never adds to what is left', async (usd) => {
    const limits = open({ plans: { free: { user: { usdTotal: 1 } } } });
    const user = await createUser();
    await spend(limits, user, 0.5);
    (await limits.reserve(user, ofUsd(user.userId, 0.1))).settle({ tokens: 1, images: 0, costUsd: usd });
    await limits.flush();
    expect((await counterOf(`user:${user.userId}`))?.totalUsd).toBeGreaterThanOrEqual(0.5);
  });

  describe('models without a known price', () => {
    it('are refused under a budget', async () => {
      const user = await createUser();
      const refused = open({ plans: { free: { user: { usdTotal: 1 } } } }).reserve(user, ofUsd(user.userId, undefined));
      await expect(refused).rejects.toThrow(ModelPriceUnknownError);
      const ofInstance = open({ budget: { usdPerDay: 1000 } }).reserve(user, ofUsd(user.userId, undefined));
      await expect(ofInstance).rejects.toThrow("'gpt'");
    });

    it('are used without a budget, and under budgets that allow it until they are used up', async () => {
      const user = await createUser();
      await open({ plans: { free: { user: { tokensPerDay: 10 } } } }).reserve(user, ofUsd(user.userId, undefined));
      const plans = { free: { user: { usdTotal: 0.1 }, allowsUnpricedModels: true } };
      const limits = open({ plans });
      const reservation = await limits.reserve(user, ofUsd(user.userId, undefined));
      reservation.settle({ tokens: 1, images: 0, costUsd: undefined });
      await expect(
        open({ plans, budget: { usdTotal: 1000 } }).reserve(user, ofUsd(user.userId, undefined)),
      ).rejects.toThrow(ModelPriceUnknownError);
      await spend(limits, user, 0.1);
      await refusalOf(limits.reserve(user, ofUsd(user.userId, undefined)));
    });
  });

  it('stored budgets take precedence field by field, in all processes within a second', async () => {
    const clock = createFakeClock(MORNING);
    const plans = { free: { user: { usdPerDay: 1, usdTotal: 1 } } };
    const processes = [open({ plans }, clock), open({ plans }, clock)];
    const budgets = createBudgets({ db: database.db, clock });
    const user = await createUser();
    const grants = async () => {
      const granted = [];
      for (const limits of processes) {
        const reservation = await limits.reserve(user, ofUsd(user.userId, { leastUsd: 0.1, mostUsd: 100 }));
        reservation.settle({ tokens: 0, images: 0 });
        await limits.flush();
        granted.push(reservation.grantedUsd);
      }
      return granted;
    };
    await Promise.all(processes.map((limits) => limits.readQuotas(user)));
    await budgets.setBudget(`user:${user.userId}`, { usdTotal: 3, usdPerDay: 2 });
    await clock.advance(1000);
    expect(await grants()).toEqual([2, 2]);
    await budgets.setBudget(`user:${user.userId}`, { usdPerDay: null });
    await clock.advance(1000);
    expect(await grants()).toEqual([1, 1]);
    await budgets.setBudget(`user:${user.userId}`, { usdTotal: null });
    await clock.advance(1000);
    expect(await grants()).toEqual([1, 1]);
  });

  it('a new budget counts what the ledger has of its day and month, and in total from then on', async () => {
    const clock = createFakeClock(MORNING);
    const usageRecorder = createUsageRecorder({ db: database.db, clock, logger });
    const user = { ...(await createUser()), chatId: -100 - opened.length };
    const entry = {
      ...{ userId: user.userId, keyId: undefined, chatId: user.chatId, model: 'm', provider: 'p' },
      ...{ promptTokens: 1, completionTokens: 1, imageCount: 0, isEstimated: false, durationMs: 1 },
      ...{ replyId: undefined, finishReason: 'stop', kind: 'chat' as const },
    };
    for (const [costUsd, daysAgo] of [
      [0.1, 0],
      [0.2, 1],
      [0.3, 20],
      [0.4, 22],
    ] as const) {
      const past = createUsageRecorder({ db: database.db, clock: createFakeClock(MORNING - daysAgo * DAY_MS), logger });
      past.record({ ...entry, costUsd });
      await past.close();
    }
    await usageRecorder.close();
    const budgets = createBudgets({ db: database.db, clock });
    const scopes = [`user:${user.userId}`, `chat:${user.chatId}`];
    for (const scope of scopes)
      expect(await budgets.readSpent(scope)).toEqual({ dayUsd: 0.1, monthUsd: 0.6, totalUsd: 0 });
    const limits = open({ plans: { free: { user: { usdPerMonth: 1 }, chat: { usdTotal: 10 } } } }, clock);
    await spend(limits, user, 0.05);
    for (const scope of scopes)
      expect(await budgets.readSpent(scope)).toEqual({ dayUsd: 0.15, monthUsd: 0.65, totalUsd: 0.05 });
  });

  it('days and months end at midnight UTC, totals never', async () => {
    const clock = createFakeClock(Date.UTC(2026, 11, 30, 23, 59, 59, 999));
    const limits = open({ plans: { free: { user: { usdPerDay: 1, usdPerMonth: 2, usdTotal: 2.5 } } } }, clock);
    const user = await createUser();
    const budgets = createBudgets({ db: database.db, clock });
    const spent = () => budgets.readSpent(`user:${user.userId}`);
    await spend(limits, user, 1);
    expect(await refusalOf(limits.reserve(user, ofUsd(user.userId, 0.1)))).toMatchObject({
      retryAfterMs: 1,
      budget: { period: 'day' },
    });
    await clock.advance(1);
    expect(await spent()).toEqual({ dayUsd: 0, monthUsd: 1, totalUsd: 1 });
    await spend(limits, user, 1);
    expect(await refusalOf(limits.reserve(user, ofUsd(user.userId, 0.1)))).toMatchObject({
      retryAfterMs: DAY_MS,
      budget: { period: 'month', resetsAt: Date.UTC(2027, 0, 1) },
    });
    await clock.advance(DAY_MS);
    expect(await spent()).toEqual({ dayUsd: 0, monthUsd: 0, totalUsd: 2 });
    await spend(limits, user, 0.5);
    expect(await refusalOf(limits.reserve(user, ofUsd(user.userId, 0.1)))).toMatchObject({
      budget: { period: 'total' },
    });
  });

  it('a clock set back neither gives a budget again nor takes one away', async () => {
    const user = await createUser();
    const plans = { free: { user: { usdPerMonth: 1 } } };
    const first = Date.UTC(2026, 11, 1);
    await spend(open({ plans }, createFakeClock(first - HOUR_MS)), user, 0.4);
    await spend(open({ plans }, createFakeClock(first + HOUR_MS)), user, 0.3);
    await spend(open({ plans }, createFakeClock(first - HOUR_MS)), user, 0.3);
    const counter = await counterOf(`user:${user.userId}`);
    expect(counter).toMatchObject({ month: '2026-12-01', day: '2026-12-01', monthUsd: 0.6, dayUsd: 0.6, totalUsd: 1 });
  });

  it('a request of a killed process counts with all that was reserved, once, also in the ledger', async () => {
    const clock = createFakeClock(MORNING);
    const plans = { free: { user: { usdTotal: 1 } } };
    const user = await createUser();
    // Its leases are renewed by its own clock, which stands still.
    await open({ plans }).reserve(user, ofUsd(user.userId, { leastUsd: 0.1, mostUsd: 0.7 }));
    const others = [open({ plans }, clock), open({ plans }, clock)];
    for (const waitMs of [0, 2 * 60_000, HOUR_MS / 2]) {
      await clock.advance(waitMs);
      const refused = (others[0] as Limits).reserve(user, ofUsd(user.userId, 0.4));
      expect(await refusalOf(refused)).toMatchObject({ isUsedUp: false });
    }
    await clock.advance(2 * HOUR_MS);
    await expect.poll(() => counterOf(`user:${user.userId}`)).toMatchObject({ totalUsd: 0.7 });
    expect(await ledgerOf(user.userId)).toMatchObject([{ costUsd: 0.7, finishReason: null }]);
    expect(await refusalOf((others[1] as Limits).reserve(user, ofUsd(user.userId, 0.4)))).toMatchObject({
      isUsedUp: true,
    });
  });

  it('counters of a budget are kept, however old', async () => {
    const limits = open({ plans: { free: { user: { usdTotal: 1 } } } });
    const user = await createUser();
    await spend(limits, user, 0.9);
    const later = createFakeClock(MORNING + 90 * DAY_MS);
    const plans = { free: { user: { usdTotal: 1 } } };
    const next = open({ plans }, later);
    await later.advance(HOUR_MS);
    await database.db.execute(sql`select 1`);
    await refusalOf(next.reserve(user, ofUsd(user.userId, 0.2)));
  });

  it('work of the service itself counts against the budget of the instance only', async () => {
    const limits = open({ plans: { free: { user: { usdTotal: 0 } } }, budget: { usdTotal: 100_000 } });
    const user = { ...(await createUser()), isUnlimited: true };
    expect((await limits.reserve(user, ofUsd(user.userId, 0.1))).grantedUsd).toBe(0.1);
    expect((await limits.readQuotas(user))?.dollars?.limit).toBe(0);
  });

  it('reports what scopes have spent after settlements and refusals', async () => {
    const reported: BudgetUse[] = [];
    const plans = { free: { user: { usdTotal: 1, usdPerDay: 0.5 } } };
    const limits = open({ plans, onBudgetUse: (uses) => reported.push(...uses) });
    const user = await createUser();
    const scope = `user:${user.userId}`;
    await spend(limits, user, 0.4);
    expect(reported.splice(0)).toEqual([
      { scope, period: 'day', limitUsd: 0.5, spentUsd: 0.4, hasRefused: false, ...user },
      { scope, period: 'total', limitUsd: 1, spentUsd: 0.4, hasRefused: false, ...user },
    ]);
    await refusalOf(limits.reserve(user, ofUsd(user.userId, 0.2)));
    expect(reported).toMatchObject([
      { period: 'day', hasRefused: true },
      { period: 'total', hasRefused: false },
    ]);
  });

  it('rows of users who were deleted meanwhile are skipped', async () => {
    const limits = open({ plans: { free: { user: { usdTotal: 1 } } } });
    const user = await createUser();
    const reservation = await limits.reserve(user, ofUsd(user.userId, 0.1));
    await database.db.delete(users).where(eq(users.id, user.userId));
    const row = toRow(user.userId, crypto.randomUUID(), { cost_usd: 0.1 });
    reservation.settle({ tokens: 1, images: 0, costUsd: 0.1, usage: row });
    await limits.flush();
    expect(await ledgerOf(user.userId)).toEqual([]);
    expect(
      await database.db
        .select()
        .from(limitReservations)
        .where(like(limitReservations.scope, `user:${user.userId}`)),
    ).toEqual([]);
  });
});
