import type { budgetNotices } from '../../database/schema/index.ts';
import type { BudgetPeriod } from '../limits/index.ts';
import { toPeriodEnd } from './notice-period.ts';

/** Shares of a budget, in percent, of which its owner is notified. */
export const NOTICE_LEVELS = [80, 100] as const;
export type NoticeLevel = (typeof NOTICE_LEVELS)[number];

/** Notice that a share of a budget is spent. */
export interface BudgetNotice {
  readonly id: number;
  readonly subject: NoticeSubject;
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

/** What a budget is for: an API key, a user, a chat by its Telegram id, or the whole instance. */
export type NoticeSubject =
  | { readonly kind: 'key' | 'user' | 'chat'; readonly id: number }
  | { readonly kind: 'instance' };

/** Returns whether the budget is that of a group: their Telegram ids are negative. */
export function isGroup(subject: NoticeSubject): subject is { readonly kind: 'chat'; readonly id: number } {
  return subject.kind === 'chat' && subject.id < 0;
}

export type NoticeRow = typeof budgetNotices.$inferSelect;

/** Scope of each kind of subject in plans and counters. */
export const PLAN_SCOPES = { key: 'key', user: 'person', chat: 'chat' } as const;

/** Returns undefined for scopes that have no owner. */
export function toSubject(scope: string): NoticeSubject | undefined {
  if (scope === 'instance') return { kind: 'instance' };
  const [, kind, id] = /^(key|person|chat):(-?\d{1,16})$/.exec(scope) ?? [];
  if (kind === 'person') return { kind: 'user', id: Number(id) };
  return kind === 'key' || kind === 'chat' ? { kind, id: Number(id) } : undefined;
}

export function toScope(subject: NoticeSubject): string {
  if (subject.kind === 'instance') return 'instance';
  return `${PLAN_SCOPES[subject.kind]}:${subject.id}`;
}

export function toNotice(row: NoticeRow): BudgetNotice | undefined {
  const subject = toSubject(row.scope);
  if (!subject) return undefined;
  const { id, period, limitUsd, sentTo } = row;
  return {
    ...{ id, subject, period, limitUsd, sentTo },
    level: row.level === 80 ? 80 : 100,
    userId: row.userId ?? undefined,
    raisedByUsd: row.raisedByUsd ?? undefined,
    resetsAt: toPeriodEnd(period, row.periodStart),
  };
}
