import { sql } from 'drizzle-orm';
import { bigint, check, date, index, integer, pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core';

/**
 * Usage counted against limits, one row for each key, user, chat and address. Written by the function `reserve_limits`.
 */
export const limitCounters = pgTable(
  'limit_counters',
  {
    /** `person:5`, `key:12`, `chat:-1001234567890`, `address:203.0.113.7`. */
    scope: text().primaryKey(),
    /** Time of the first request of the current minute. */
    minuteBeganAt: timestamp('minute_began_at', { withTimezone: true }).notNull(),
    minuteRequests: integer('minute_requests').notNull().default(0),
    /** Day in UTC. */
    day: date().notNull(),
    dayTokens: bigint('day_tokens', { mode: 'number' }).notNull().default(0),
    dayPictures: integer('day_pictures').notNull().default(0),
  },
  (table) => [
    check(
      'limit_counters_amounts',
      sql`${table.minuteRequests} >= 0 and ${table.dayTokens} >= 0 and ${table.dayPictures} >= 0`,
    ),
    index('limit_counters_day').on(table.day),
  ],
);

/**
 * Reservations of requests in flight, one row for each scope of a reservation. A reservation counts until it expires.
 * Settling it deletes the rows and records the actual usage in one statement, so usage is recorded once.
 */
export const limitReservations = pgTable(
  'limit_holds',
  {
    /** Id of the reservation. */
    id: text().notNull(),
    scope: text().notNull(),
    tokens: bigint({ mode: 'number' }).notNull(),
    pictures: integer().notNull(),
    expiresAt: timestamp('expires_at', { withTimezone: true }).notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.id, table.scope] }),
    check('limit_holds_amounts', sql`${table.tokens} >= 0 and ${table.pictures} >= 0`),
    index('limit_holds_scope').on(table.scope),
  ],
);
