import { sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  check,
  index,
  integer,
  jsonb,
  pgTable,
  text,
  timestamp,
  uniqueIndex,
} from 'drizzle-orm/pg-core';

/** Everybody who uses the service. `id` is the integer `user` of API answers. */
export const users = pgTable(
  'people',
  {
    id: integer().primaryKey().generatedAlwaysAsIdentity(),
    /** Null for whoever only has an API key. */
    telegramId: bigint('telegram_id', { mode: 'number' }).unique(),
    role: text({ enum: ['user', 'admin'] })
      .notNull()
      .default('user'),
    /** The plan that an admin gave the person; null: the one that everybody of the kind has. */
    plan: text(),
    settings: jsonb().$type<Record<string, unknown>>().notNull().default({}),
    /** Since when the person's private chat takes no messages of the bot; null: as far as is known it does. */
    unreachableSince: timestamp('unreachable_since', { withTimezone: true }),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
  },
  (table) => [check('people_role', sql`${table.role} in ('user', 'admin')`)],
);

/** API keys, by their SHA-256: the key itself is nowhere kept. */
export const apiKeys = pgTable(
  'api_keys',
  {
    id: integer().primaryKey().generatedAlwaysAsIdentity(),
    userId: integer('person_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** 64 lowercase hexadecimal digits. */
    hash: text().notNull().unique(),
    /** The key's first characters, for recognising it. */
    prefix: text().notNull(),
    label: text().notNull(),
    isUniversal: boolean('is_universal').notNull().default(false),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
    revokedAt: timestamp('revoked_at', { withTimezone: true }),
    lastUsedAt: timestamp('last_used_at', { withTimezone: true }),
    /** The route of the last use, `/ai/openai/chat/completions`, and the network it came from, `203.0.113.0/24`. */
    lastUsedRoute: text('last_used_route'),
    lastUsedNetwork: text('last_used_network'),
  },
  (table) => [
    index('api_keys_person').on(table.userId),
    check('api_keys_hash', sql`${table.hash} ~ '^[0-9a-f]{64}$'`),
    uniqueIndex('api_keys_one_universal')
      .on(table.isUniversal)
      .where(sql`${table.isUniversal} and ${table.revokedAt} is null`),
  ],
);
