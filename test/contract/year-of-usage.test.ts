import { eq, gte, sql, sum } from 'drizzle-orm';
import { expect, it } from 'vitest';
import { toUsageRow } from '../../src/core/accounts/index.ts';
import { createBudgets, createLimits, LimitExceededError } from '../../src/core/limits/index.ts';
import { usage, users } from '../../src/database/schema/index.ts';
import { createLogger } from '../../src/lib/log/logger.ts';
import { createFakeClock } from '../support/machine/fake-clock.ts';
import { describeOnEveryDatabase } from '../support/stores/test-database.ts';
import { EXHAUSTIVE } from '../support/vitest/tiers.ts';

const DAY_MS = 86_400_000;
const YEAR_BEGIN = Date.UTC(2027, 0, 1);
const USERS = 5;
const REQUESTS_PER_DAY = 12;

describeOnEveryDatabase('a year of usage under budgets', (createDatabase) => {
  it('has counters that are the sums of the ledger, in every month and in total', EXHAUSTIVE, async () => {
    const database = await createDatabase();
    const { db } = database;
    const random = createRandom(1);
    const rows = await db
      .insert(users)
      .values(Array.from({ length: USERS }, () => ({})))
      .returning();
    const userIds = rows.map(({ id }) => id);
    const plans = { free: { user: { usdPerDay: 4, usdPerMonth: 60, usdTotal: 500 } } };
    const logger = createLogger({ level: 'silent' });
    let refusedCount = 0;
    for (let day = 0; day < 365; day++) {
      // Two processes a day; their clocks differ by a minute, also around midnight.
      const processes = [0, 60_000].map((aheadMs) => {
        const clock = createFakeClock(YEAR_BEGIN + day * DAY_MS + aheadMs);
        const budget = { usdPerMonth: 250 };
        return createLimits({ db, clock, logger, plans, budget, findPlan: async () => 'free' });
      });
      for (let count = 0; count < REQUESTS_PER_DAY; count++) {
        const userId = userIds[Math.floor(random() * USERS)] ?? 0;
        const limits = processes[count % 2];
        const mostUsd = Math.ceil(random() * 2e9) / 1e9;
        const costUsd = Math.floor(mostUsd * random() * 1e9) / 1e9;
        const entry = {
          ...{ userId, keyId: undefined, kind: 'chat' as const, model: 'm', provider: 'p', replyId: undefined },
          ...{ promptTokens: 1, completionTokens: 1, imageCount: 0, isEstimated: false, durationMs: 1 },
          ...{ finishReason: 'stop', costUsd },
        };
        const spending = {
          model: 'm',
          cost: () => ({ leastUsd: mostUsd, mostUsd }),
          usage: () => toUsageRow(entry, 0),
        };
        try {
          const reservation = await limits?.reserve(
            { userId },
            { tokens: () => 1, moreTokens: 0, images: 0, spending },
          );
          reservation?.settle({ tokens: 2, images: 0, costUsd, usage: toUsageRow(entry, 0) });
        } catch (error) {
          if (!(error instanceof LimitExceededError)) throw error;
          refusedCount += 1;
        }
      }
      await Promise.all(processes.map((limits) => limits.close()));
      const isMonthEnd = new Date(YEAR_BEGIN + (day + 1) * DAY_MS).getUTCDate() === 1;
      if (isMonthEnd) await expectReconciled(YEAR_BEGIN + day * DAY_MS + DAY_MS / 2);
    }
    expect(refusedCount).toBeGreaterThan(50);
    await database.close();

    async function expectReconciled(nowMs: number): Promise<void> {
      const { readSpent } = createBudgets({ db, clock: createFakeClock(nowMs) });
      for (const userId of [...userIds, undefined]) {
        const begin = new Date(`${new Date(nowMs).toISOString().slice(0, 7)}-01T00:00:00Z`);
        const sums = {
          month: sql<string>`sum(${usage.costUsd}) filter (where ${gte(usage.createdAt, begin)})`,
          total: sum(usage.costUsd),
        };
        const isOwn = userId === undefined ? undefined : eq(usage.userId, userId);
        const [ledger] = await db.select(sums).from(usage).where(isOwn);
        const spent = await readSpent(userId === undefined ? 'instance' : `user:${userId}`);
        expect({ month: spent.monthUsd, total: spent.totalUsd }).toEqual({
          month: Number(ledger?.month),
          total: Number(ledger?.total),
        });
        expect(spent.monthUsd).toBeLessThanOrEqual(userId === undefined ? 250 : 60);
      }
    }
  });
});

/** Returns reproducible numbers from 0 to 1 (mulberry32). */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
