import type { budgetNotices } from '../../database/schema/index.ts';
import { type BudgetPeriod, type BudgetScope, parseScope } from '../limits/index.ts';
import { toPeriodEnd } from './notice-period.ts';

/** Shares of a budget, in percent, of which its owner is notified. */
export const NOTICE_LEVELS = [80, 100] as const;
export type NoticeLevel = (typeof NOTICE_LEVELS)[number];

/** Notice that a share of a budget is spent. */
export interface BudgetNotice {
  readonly id: number;
  readonly scope: BudgetScope;
  readonly period: BudgetPeriod;
  readonly level: NoticeLevel;
  /** The budget when the notice was made. */
  readonly limitUsd: number;
  /** User of the request that reached the level; undefined if deleted. */
  readonly userId: number | undefined;
  /** Chats that have the notice. */
  readonly sentTo: readonly number[];
  readonly raisedByUsd: number | undefined;
  /** End of the period in Unix milliseconds; undefined for `total`. */
  readonly resetsAt: number | undefined;
}

/** Returns whether the budget is that of a group: their Telegram ids are negative. */
export function isGroup(scope: BudgetScope): scope is { readonly kind: 'chat'; readonly id: number } {
  return scope.kind === 'chat' && scope.id < 0;
}

export type NoticeRow = typeof budgetNotices.$inferSelect;

export function toNotice(row: NoticeRow): BudgetNotice | undefined {
  const scope = parseScope(row.scope);
  if (!scope) return undefined;
  const { id, period, limitUsd, sentTo } = row;
  return {
    id,
    scope,
    period,
    limitUsd,
    sentTo,
    level: row.level === 80 ? 80 : 100,
    userId: row.userId ?? undefined,
    raisedByUsd: row.raisedByUsd ?? undefined,
    resetsAt: toPeriodEnd(period, row.periodStart),
  };
}
