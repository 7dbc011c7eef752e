import { sql } from 'drizzle-orm';
import { check, index, integer, pgTable, text, timestamp } from 'drizzle-orm/pg-core';
import { users } from './accounts.ts';

/** Codes of sign-in links by their SHA-256. A code is deleted when it is used. */
export const signInCodes = pgTable(
  'sign_in_codes',
  {
    hash: text().primaryKey(),
    userId: integer('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    expiresAt: timestamp('expires_at', { withTimezone: true }).notNull(),
  },
  (table) => [
    index('sign_in_codes_user').on(table.userId),
    check('sign_in_codes_hash', sql`${table.hash} ~ '^[0-9a-f]{64}$'`),
  ],
);

/** Sessions of the console by the SHA-256 of their token; the tokens themselves are not stored. */
export const sessions = pgTable(
  'sessions',
  {
    id: integer().primaryKey().generatedAlwaysAsIdentity(),
    hash: text().notNull().unique(),
    userId: integer('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    origin: text({ enum: ['mini-app', 'link', 'playground'] }).notNull(),
    /** `User-Agent` of the client. The session works only with the same one. */
    userAgent: text('user_agent').notNull(),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull(),
    lastUsedAt: timestamp('last_used_at', { withTimezone: true }).notNull(),
    expiresAt: timestamp('expires_at', { withTimezone: true }).notNull(),
  },
  (table) => [
    index('sessions_user').on(table.userId),
    check('sessions_hash', sql`${table.hash} ~ '^[0-9a-f]{64}$'`),
    check('sessions_origin', sql`${table.origin} in ('mini-app', 'link', 'playground')`),
  ],
);
