import { and, arrayContains, asc, eq, inArray, isNull, lt, notInArray, or, sql } from 'drizzle-orm';
import type { Database } from '../../database/connect.ts';
import { apiKeys, limitCounters, budgetNotices as table } from '../../database/schema/index.ts';
import type { Clock } from '../../lib/clock.ts';
import { toUtcDay } from '../../lib/dates.ts';
import type { Logger } from '../../lib/log/logger.ts';
import type { AdminRule } from '../accounts/index.ts';
import { recordAction } from '../administration/index.ts';
import { findPayingPlan, type Groups } from '../groups/index.ts';
import {
  AMOUNT_FIELDS,
  type BudgetScope,
  type Budgets,
  createBudgets,
  type InstanceBudget,
  type Plan,
  type Plans,
  printScope,
  SPENT_FIELDS,
  toPlan,
} from '../limits/index.ts';
import { createBudgetWatch } from './budget-watch.ts';
import { type BudgetNotice, isGroup, type NoticeRow, toNotice } from './notice.ts';

interface BudgetSources {
  readonly db: Database;
  readonly budgets: Pick<Budgets, 'readBudget' | 'readSpent'>;
  readonly groups: Pick<Groups, 'find'>;
  /** Returns the name of a user's plan. */
  readonly findPlan: (userId: number) => Promise<string>;
  /** Read at each use, because its fields may be replaced. */
  readonly rules: { readonly plans: Plans; readonly budget?: InstanceBudget | undefined };
}

/** A budget as it is now. */
export interface CurrentBudget {
  readonly limitUsd: number;
  readonly spentUsd: number;
}

/** Raise that a button of a notice offers. */
export interface OfferedRaise {
  readonly noticeId: number;
  /** The budget when it was offered. */
  readonly limitUsd: number;
  readonly byUsd: number;
  /** Set if an admin raises, for the audit log. */
  readonly adminTelegramId?: number | undefined;
}

export interface BudgetNoticesDeps extends BudgetSources {
  readonly clock: Clock;
  readonly logger: Logger;
}

const MAX_UNSENT = 100;
const DAY_MS = 86_400_000;

/** Creates notices to owners of budgets that most or all of one is spent. Each is sent once, over all processes. */
export function createBudgetNotices(deps: BudgetNoticesDeps) {
  const { db, clock } = deps;
  let listener = () => {};
  const isSame = ({ id, limitUsd }: Pick<BudgetNotice, 'id' | 'limitUsd'>) =>
    and(eq(table.id, id), sql`${table.limitUsd} = ${limitUsd}::numeric`);

  const find = async (noticeId: number): Promise<BudgetNotice | undefined> => {
    const [row] = await db.select().from(table).where(eq(table.id, noticeId));
    return row && toNotice(row);
  };
  /** Returns undefined if the period is over or the budget was removed. */
  const readBudget = async (notice: BudgetNotice): Promise<CurrentBudget | undefined> => {
    if (notice.resetsAt !== undefined && notice.resetsAt <= clock.now()) return undefined;
    const limitUsd = await readCurrentLimit(deps, notice);
    if (limitUsd === undefined) return undefined;
    const spent = await deps.budgets.readSpent(printScope(notice.scope));
    return { limitUsd, spentUsd: spent[SPENT_FIELDS[notice.period]] };
  };

  return {
    ...createBudgetWatch(deps, () => listener()),
    /** Sets the function that is called when this process has stored a new notice. */
    onNew(given: () => void): void {
      listener = given;
    },
    /** Returns notices that are not sent yet, oldest first. */
    async listUnsent(): Promise<readonly BudgetNotice[]> {
      const rows = await db
        .select()
        .from(table)
        .where(isNull(table.sentAt))
        .orderBy(asc(table.claimedAt))
        .limit(MAX_UNSENT);
      return rows.flatMap((row) => toNotice(row) ?? []);
    },
    /** Stores that a chat has the notice. */
    async recordSent(notice: BudgetNotice, chatId: number): Promise<void> {
      await db
        .update(table)
        .set({ sentTo: sql`array_append(${table.sentTo}, ${chatId}::bigint)` })
        .where(isSame(notice));
    },
    /** Stores that nothing is left to send. A notice that was made anew meanwhile stays. */
    async conclude(notice: BudgetNotice): Promise<void> {
      await db.update(table).set({ sentAt: sql`now()` }).where(isSame(notice));
    },
    find,
    readBudget,
    /** Returns the user that the notice is for; undefined for chats, the instance, and keys that do not work any more. */
    findOwner: (scope: BudgetScope): Promise<number | undefined> => findOwner(db, scope),
    /** Returns the amounts by which the owner may raise the budget. */
    async listRaises(notice: BudgetNotice, { limitUsd }: CurrentBudget): Promise<readonly number[]> {
      const { scope } = notice;
      if (scope.kind === 'instance') return listInstanceRaises(limitUsd);
      if (scope.kind === 'key' && (await hasAdminBudget(db, scope.id))) return [];
      return (await findPlanOf(deps, notice))?.raiseByUsd ?? [];
    },
    /**
     * Raises the budget, once for each notice. The caller checks that the user may.
     * @returns `over` if the period is over or the budget was removed.
     */
    async raise(offer: OfferedRaise): Promise<'raised' | 'already' | 'over'> {
      const notice = await find(offer.noticeId);
      const budget = notice && (await readBudget(notice));
      if (!budget) return 'over';
      return db.transaction((tx) => raiseOnce(tx, clock, { notice, budget, offer }));
    },
    /** Deletes notices of past periods. */
    async sweep(): Promise<void> {
      const now = clock.now();
      const counters = db.select({ scope: limitCounters.scope }).from(limitCounters);
      const isPast = or(
        and(eq(table.period, 'day'), lt(table.periodStart, toUtcDay(now - 2 * DAY_MS))),
        and(eq(table.period, 'month'), lt(table.periodStart, toUtcDay(now - 62 * DAY_MS))),
        and(eq(table.period, 'total'), notInArray(table.scope, counters)),
      );
      await db.delete(table).where(isPast);
    },
  };
}

/** A raise that is offered, with what it changes. */
interface Raise {
  readonly notice: BudgetNotice;
  readonly budget: CurrentBudget;
  readonly offer: OfferedRaise;
}

async function raiseOnce(tx: Database, clock: Clock, { notice, budget, offer }: Raise): Promise<'raised' | 'already'> {
  const { period } = notice;
  const scope = printScope(notice.scope);
  const rows = await lockNotices(tx, scope, period);
  const own = rows.find(({ id }) => id === notice.id);
  if (own?.limitUsd !== offer.limitUsd || own.raisedByUsd !== null) return 'already';
  await tx.update(table).set({ raisedByUsd: offer.byUsd }).where(eq(table.id, own.id));
  const budgets = createBudgets({ db: tx, clock });
  const raised = await budgets.raiseBudget(scope, { period, byUsd: offer.byUsd, fromUsd: budget.limitUsd });
  const limitUsd = raised[AMOUNT_FIELDS[period]] ?? budget.limitUsd;
  // Levels that the raised budget has still reached are not worth another notice.
  const isReached = (level: number) => budget.spentUsd >= (limitUsd * level) / 100;
  const reached = rows.filter((row) => row.periodStart === own.periodStart && isReached(row.level));
  if (reached.length > 0) {
    const ids = reached.map(({ id }) => id);
    await tx.update(table).set({ limitUsd }).where(inArray(table.id, ids));
  }
  const { adminTelegramId } = offer;
  if (adminTelegramId !== undefined) {
    const reason = `${period}: +${offer.byUsd} USD, now ${limitUsd} USD`;
    const createdAt = new Date(clock.now());
    await recordAction(tx, { adminTelegramId, action: 'raise-budget', subject: scope, reason, createdAt });
  }
  return 'raised';
}

/** Locks the notices of a budget in one order, so that raises from several of them never deadlock. */
function lockNotices(tx: Database, scope: string, period: BudgetNotice['period']): Promise<NoticeRow[]> {
  return tx
    .select()
    .from(table)
    .where(and(eq(table.scope, scope), eq(table.period, period)))
    .orderBy(asc(table.id))
    .for('update');
}

/** Returns a tenth and a half of the budget, each rounded to one digit. */
function listInstanceRaises(limitUsd: number): readonly number[] {
  return [0.1, 0.5].map((share) => Number((limitUsd * share).toPrecision(1))).filter((usd) => usd >= 0.000_000_001);
}

/** Returns the budget that applies now; undefined if there is none any more. */
async function readCurrentLimit(sources: BudgetSources, notice: BudgetNotice): Promise<number | undefined> {
  const field = AMOUNT_FIELDS[notice.period];
  const stored = (await sources.budgets.readBudget(printScope(notice.scope)))[field];
  return stored ?? (await readConfiguredLimit(sources, notice));
}

async function readConfiguredLimit(sources: BudgetSources, notice: BudgetNotice): Promise<number | undefined> {
  const { scope, period } = notice;
  const field = AMOUNT_FIELDS[period];
  if (scope.kind === 'instance') return sources.rules.budget?.[field];
  return (await findPlanOf(sources, notice))?.[scope.kind]?.[field];
}

/** Returns whether an admin has set the budget of a key: then its owner can't raise it. */
async function hasAdminBudget(db: Database, keyId: number): Promise<boolean> {
  const rule: AdminRule = 'budget';
  return (await db.$count(apiKeys, and(eq(apiKeys.id, keyId), arrayContains(apiKeys.adminRules, [rule])))) > 0;
}

/** Returns the plan that the scope's limits come from. In groups whose users pay: that of the notice's user. */
async function findPlanOf(sources: BudgetSources, { scope, userId }: BudgetNotice): Promise<Plan | undefined> {
  const { plans } = sources.rules;
  if (isGroup(scope)) {
    const plan = findPayingPlan(await sources.groups.find(scope.id), Object.keys(plans));
    if (plan !== undefined) return plans[plan];
  }
  const ownerId = (await findOwner(sources.db, scope)) ?? userId;
  return ownerId === undefined ? undefined : toPlan(plans, await sources.findPlan(ownerId));
}

/** Returns the user that a key or a user's budget belongs to; undefined for revoked and universal keys, and others. */
async function findOwner(db: Database, scope: BudgetScope): Promise<number | undefined> {
  if (scope.kind === 'user') return scope.id;
  if (scope.kind !== 'key') return undefined;
  const [key] = await db
    .select({ userId: apiKeys.userId })
    .from(apiKeys)
    .where(and(eq(apiKeys.id, scope.id), isNull(apiKeys.revokedAt), eq(apiKeys.isUniversal, false)));
  return key?.userId;
}
