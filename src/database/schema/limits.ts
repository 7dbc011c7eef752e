import { sql } from 'drizzle-orm';
import {
  bigint,
  check,
  date,
  index,
  integer,
  jsonb,
  numeric,
  pgTable,
  primaryKey,
  text,
  timestamp,
} from 'drizzle-orm/pg-core';

/** Amount in US dollars. */
const dollars = (name: string) => numeric(name, { precision: 18, scale: 9, mode: 'number' });

/**
 * Usage counted against limits, one row for each key, user, chat and address, and for the instance. Written by the function `settle_and_reserve`.
 */
export const limitCounters = pgTable(
  'limit_counters',
  {
    /** `user:5`, `key:12`, `chat:-1001234567890`, `address:203.0.113.7`, `instance`. */
    scope: text().primaryKey(),
    /** Time of the first request of the current minute. */
    minuteBeganAt: timestamp('minute_began_at', { withTimezone: true }).notNull(),
    minuteRequests: integer('minute_requests').notNull().default(0),
    /** Day in UTC. */
    day: date().notNull(),
    dayTokens: bigint('day_tokens', { mode: 'number' }).notNull().default(0),
    dayImages: integer('day_images').notNull().default(0),
    dayUsd: dollars('day_usd').notNull().default(0),
    /** First day of the month in UTC; null until a budget applies to the scope. Dollars are counted from then on. */
    month: date(),
    monthUsd: dollars('month_usd').notNull().default(0),
    totalUsd: dollars('total_usd').notNull().default(0),
  },
  (table) => [
    check(
      'limit_counters_amounts',
      sql`${table.minuteRequests} >= 0 and ${table.dayTokens} >= 0 and ${table.dayImages} >= 0`,
    ),
    check('limit_counters_usd', sql`least(${table.dayUsd}, ${table.monthUsd}, ${table.totalUsd}) >= 0`),
    index('limit_counters_day').on(table.day),
  ],
);

/**
 * Reservations of requests in flight, one row for each scope of a reservation. A reservation counts until it expires.
 * Settling it deletes the rows and records the actual usage in one statement, so usage is recorded once.
 */
export const limitReservations = pgTable(
  'limit_reservations',
  {
    /** Id of the reservation. */
    id: text().notNull(),
    scope: text().notNull(),
    tokens: bigint({ mode: 'number' }).notNull(),
    images: integer().notNull(),
    expiresAt: timestamp('expires_at', { withTimezone: true }).notNull(),
    /** The most that the request can cost; null if the scope has no budget. Counts until it is settled, expired or not. */
    usd: dollars('usd'),
    /** Row of the usage ledger in case the process ends without settling; null if the scope has no budget. */
    usage: jsonb().$type<Readonly<Record<string, unknown>>>(),
  },
  (table) => [
    primaryKey({ columns: [table.id, table.scope] }),
    check('limit_reservations_amounts', sql`${table.tokens} >= 0 and ${table.images} >= 0`),
    check('limit_reservations_usd', sql`${table.usd} >= 0`),
    index('limit_reservations_scope').on(table.scope),
  ],
);

/**
 * Budgets in US dollars that were set for one scope. They take precedence over those of plans and of the providers file,
 * field by field; null: not set here.
 */
export const budgets = pgTable(
  'budgets',
  {
    /** As in `limit_counters`, and `instance`. */
    scope: text().primaryKey(),
    usdPerDay: dollars('usd_per_day'),
    usdPerMonth: dollars('usd_per_month'),
    usdTotal: dollars('usd_total'),
    updatedAt: timestamp('updated_at', { withTimezone: true }).notNull(),
  },
  (table) => [
    // `least` ignores nulls, and NaN is the greatest number.
    check('budgets_least', sql`least(${table.usdPerDay}, ${table.usdPerMonth}, ${table.usdTotal}) >= 0`),
    check('budgets_greatest', sql`greatest(${table.usdPerDay}, ${table.usdPerMonth}, ${table.usdTotal}) <= 1000000`),
    index('budgets_updated').on(table.updatedAt),
  ],
);
