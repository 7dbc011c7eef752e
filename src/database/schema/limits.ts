import { sql } from 'drizzle-orm';
import { bigint, check, date, index, integer, pgTable, text, timestamp } from 'drizzle-orm/pg-core';

/** What has been used of limits, a row for each key, person, chat and address that has any. The function `use_limits` alone writes here. */
export const limitCounters = pgTable(
  'limit_counters',
  {
    /** `person:5`, `key:12`, `chat:-1001234567890`, `address:203.0.113.7`. */
    scope: text().primaryKey(),
    /** When the first request of the current minute came. */
    minuteBeganAt: timestamp('minute_began_at', { withTimezone: true }).notNull(),
    minuteRequests: integer('minute_requests').notNull().default(0),
    /** By UTC. */
    day: date().notNull(),
    dayTokens: bigint('day_tokens', { mode: 'number' }).notNull().default(0),
    dayPictures: integer('day_pictures').notNull().default(0),
    /** Sums of the holds: asked for with every request, so that nobody has to add them up. */
    heldTokens: bigint('held_tokens', { mode: 'number' }).notNull().default(0),
    heldPictures: integer('held_pictures').notNull().default(0),
    works: integer().notNull().default(0),
  },
  (table) => [
    check(
      'limit_counters_amounts',
      sql`${table.minuteRequests} >= 0 and ${table.dayTokens} >= 0 and ${table.dayPictures} >= 0`,
    ),
    check('limit_counters_held', sql`${table.heldTokens} >= 0 and ${table.heldPictures} >= 0 and ${table.works} >= 0`),
    index('limit_counters_day').on(table.day),
  ],
);

/** The processes that write here, with the number of the last batch of each: a batch whose answer was lost is not carried out twice. */
export const limitWriters = pgTable('limit_writers', {
  id: text().primaryKey(),
  lastBatch: bigint('last_batch', { mode: 'number' }).notNull(),
  writtenAt: timestamp('written_at', { withTimezone: true }).notNull(),
});

/**
 * Work under way, and room for work that will probably come: what is set aside for it, until it says what it has really used or is
 * not heard of any more.
 */
export const limitHolds = pgTable(
  'limit_holds',
  {
    id: text().primaryKey(),
    scopes: text().array().notNull(),
    /** One for each scope. */
    tokens: bigint({ mode: 'number' }).array().notNull(),
    pictures: integer().notNull(),
    /** So many pieces of work share it. */
    works: integer().notNull().default(1),
    expiresAt: timestamp('expires_at', { withTimezone: true }).notNull(),
  },
  (table) => [
    check('limit_holds_scopes', sql`cardinality(${table.scopes}) = cardinality(${table.tokens})`),
    check('limit_holds_amounts', sql`0 <= all(${table.tokens}) and ${table.pictures} >= 0 and ${table.works} >= 0`),
    index('limit_holds_expiry').on(table.expiresAt),
  ],
);
