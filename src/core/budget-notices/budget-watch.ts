import { eq, sql } from 'drizzle-orm';
import { LRUCache } from 'lru-cache';
import type { Database } from '../../database/connect.ts';
import { budgetNotices, limitCounters, users } from '../../database/schema/index.ts';
import type { Clock } from '../../lib/clock.ts';
import { describeError } from '../../lib/errors/describe-error.ts';
import type { Logger } from '../../lib/log/logger.ts';
import { type BudgetUse, parseScope } from '../limits/index.ts';
import type { NoticeLevel } from './notice.ts';
import { START_OF_TOTAL, toPeriodStart } from './notice-period.ts';

interface Claimed {
  readonly level: NoticeLevel;
  readonly limitUsd: number;
}

/** Bounds memory. A forgotten budget costs one more look at the database. */
const MAX_KNOWN = 20_000;
/** Further budgets are checked after their next request. */
const MAX_WAITING = 5000;
/** The exact comparison is left to the database. */
const ROUNDING = 1 - 1e-9;

/** Watches spending and stores a notice when a budget reaches a level. */
export function createBudgetWatch(
  { db, clock, logger }: { readonly db: Database; readonly clock: Clock; readonly logger: Logger },
  onNew: () => void,
) {
  const claimed = new LRUCache<string, Claimed>({ max: MAX_KNOWN });
  const waiting = new Map<string, { readonly use: BudgetUse; readonly start: string }>();
  let working: Promise<void> | undefined;

  const check = async (key: string, use: BudgetUse, start: string) => {
    const { level, isNew } = await claimNotice(db, use, start);
    if (level !== undefined) claimed.set(key, { level, limitUsd: use.limitUsd });
    if (isNew) onNew();
  };
  const work = async () => {
    for (const [key, { use, start }] of waiting) {
      waiting.delete(key);
      await check(key, use, start).catch((error: unknown) =>
        logger.warn({ reason: describeError(error), scope: use.scope }, 'a budget could not be checked for a notice'),
      );
    }
    working = undefined;
  };

  return {
    /** Checks budgets in the background. Reads the database only if a level may be reached and was not claimed yet. */
    check(uses: readonly BudgetUse[]): void {
      for (const use of uses) {
        const level = findLevel(use);
        if (level === undefined || !parseScope(use.scope)) continue;
        const start = toPeriodStart(use.period, clock.now());
        const key = `${use.scope} ${use.period} ${start}`;
        const known = claimed.get(key);
        if (known && known.level >= level && known.limitUsd >= use.limitUsd) continue;
        if (waiting.has(key) || waiting.size < MAX_WAITING) waiting.set(key, { use, start });
      }
      if (waiting.size > 0) working ??= work();
    },
    /** Resolves when all checks are done. */
    async flush(): Promise<void> {
      await working;
    },
  };
}

/** Returns the level that may be reached. A budget of 0 has none: it blocks on purpose. */
function findLevel({ limitUsd, spentUsd, hasRefused }: BudgetUse): NoticeLevel | undefined {
  const share = spentUsd / (limitUsd * ROUNDING);
  if (limitUsd <= 0 || share < 0.8) return undefined;
  return share >= 1 || hasRefused ? 100 : 80;
}

const COUNTED = {
  day: { spent: limitCounters.dayUsd, start: sql<string>`${limitCounters.day}::text` },
  month: { spent: limitCounters.monthUsd, start: sql<string>`${limitCounters.month}::text` },
  total: { spent: limitCounters.totalUsd, start: sql<string>`${START_OF_TOTAL}::text` },
} as const;

/** Highest level that was claimed, by this call or an earlier one. */
interface ClaimOutcome {
  readonly level: NoticeLevel | undefined;
  /** The notice is new. Of several processes only one gets this. */
  readonly isNew: boolean;
}

/**
 * Stores a notice if the exact sum has reached a level without one, for this period and a budget of at least this
 * amount.
 * @param startOfPeriod `2026-11-01`; a counter of an earlier period is ignored.
 */
async function claimNotice(db: Database, use: BudgetUse, startOfPeriod: string): Promise<ClaimOutcome> {
  const { spent, start } = COUNTED[use.period];
  const hasReached = (level: NoticeLevel) => sql<boolean>`${spent} >= ${use.limitUsd}::numeric * ${level} / 100`;
  const [counter] = await db
    .select({ start, isMost: hasReached(80), isAll: hasReached(100) })
    .from(limitCounters)
    .where(eq(limitCounters.scope, use.scope));
  if (!counter?.isMost || counter.start < startOfPeriod) return { level: undefined, isNew: false };
  const level = counter.isAll || use.hasRefused ? 100 : 80;
  const isNew = await insertNotice(db, use, { level, periodStart: counter.start });
  // The lower level is not worth a message any more.
  if (isNew && level === 100) await insertNotice(db, use, { level: 80, periodStart: counter.start, isObsolete: true });
  return { level, isNew };
}

async function insertNotice(
  db: Database,
  { scope, period, limitUsd, userId }: BudgetUse,
  row: { readonly level: NoticeLevel; readonly periodStart: string; readonly isObsolete?: boolean },
): Promise<boolean> {
  const { level, periodStart, isObsolete = false } = row;
  // By the database's clock, which all processes share.
  const values = {
    limitUsd,
    // The user may have been deleted.
    userId: sql<number>`(select ${users.id} from ${users} where ${users.id} = ${userId})`,
    claimedAt: sql<Date>`now()`,
    sentTo: [],
    sentAt: isObsolete ? sql<Date>`now()` : null,
    raisedByUsd: null,
  };
  const inserted = await db
    .insert(budgetNotices)
    .values({ scope, period, periodStart, level, ...values })
    .onConflictDoUpdate({
      target: [budgetNotices.scope, budgetNotices.period, budgetNotices.periodStart, budgetNotices.level],
      set: isObsolete ? { limitUsd, sentAt: sql`coalesce(${budgetNotices.sentAt}, now())` } : values,
      setWhere: isObsolete
        ? sql`${budgetNotices.limitUsd} <= ${limitUsd}::numeric`
        : sql`${budgetNotices.limitUsd} < ${limitUsd}::numeric`,
    })
    .returning({ id: budgetNotices.id });
  return inserted.length > 0;
}
