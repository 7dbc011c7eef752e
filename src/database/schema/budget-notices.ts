import { sql } from 'drizzle-orm';
import {
  bigint,
  check,
  date,
  index,
  integer,
  numeric,
  pgTable,
  smallint,
  text,
  timestamp,
  unique,
} from 'drizzle-orm/pg-core';
import { users } from './accounts.ts';

const dollars = (name: string) => numeric(name, { precision: 18, scale: 9, mode: 'number' });

/** Notices to owners that most or all of a budget is spent. Rows that are not sent yet are the sender's queue. */
export const budgetNotices = pgTable(
  'budget_notices',
  {
    id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    /** As in `limit_counters`. */
    scope: text().notNull(),
    period: text({ enum: ['day', 'month', 'total'] }).notNull(),
    /** First day of the period in UTC; 1970-01-01 for `total`. */
    periodStart: date('period_start').notNull(),
    /** Percent of the budget. */
    level: smallint().notNull(),
    /** The budget that the notice is about. With a larger one, the notice is sent again. */
    limitUsd: dollars('limit_usd').notNull(),
    /** User of the request that reached the level. */
    userId: integer('user_id').references(() => users.id, { onDelete: 'set null' }),
    claimedAt: timestamp('claimed_at', { withTimezone: true }).notNull(),
    /** Chats that have the notice, while others don't have it yet. */
    sentTo: bigint('sent_to', { mode: 'number' }).array().notNull().default(sql`'{}'`),
    sentAt: timestamp('sent_at', { withTimezone: true }),
    /** Amount by which a button of the notice raised the budget. */
    raisedByUsd: dollars('raised_by_usd'),
  },
  (table) => [
    unique('budget_notices_once').on(table.scope, table.period, table.periodStart, table.level),
    check('budget_notices_level', sql`${table.level} in (80, 100)`),
    check('budget_notices_period', sql`${table.period} in ('day', 'month', 'total')`),
    index('budget_notices_unsent').on(table.claimedAt).where(sql`${table.sentAt} is null`),
    index('budget_notices_user').on(table.userId),
  ],
);
