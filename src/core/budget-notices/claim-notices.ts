import { eq, sql } from 'drizzle-orm';
import type { Database } from '../../database/connect.ts';
import { budgetNotices, limitCounters, users } from '../../database/schema/index.ts';
import type { BudgetUse } from '../limits/index.ts';
import type { NoticeLevel } from './notice.ts';
import { START_OF_TOTAL } from './notice-period.ts';

/** Highest level that was claimed, by this call or an earlier one. */
export interface ClaimOutcome {
  readonly level: NoticeLevel | undefined;
  /** The notice is new. Of several processes only one gets this. */
  readonly isNew: boolean;
}

const COUNTED = {
  day: { spent: limitCounters.dayUsd, start: sql<string>`${limitCounters.day}::text` },
  month: { spent: limitCounters.monthUsd, start: sql<string>`${limitCounters.month}::text` },
  total: { spent: limitCounters.totalUsd, start: sql<string>`${START_OF_TOTAL}::text` },
} as const;

/**
 * Stores a notice if the exact sum has reached a level without one, for this period and a budget of at least this
 * amount.
 * @param startOfPeriod `2026-11-01`; a counter of an earlier period is ignored.
 */
export async function claimNotice(db: Database, use: BudgetUse, startOfPeriod: string): Promise<ClaimOutcome> {
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
