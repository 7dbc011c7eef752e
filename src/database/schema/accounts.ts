import { sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  check,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  timestamp,
  uniqueIndex,
} from 'drizzle-orm/pg-core';

/** Users of the service. `id` is the integer `user` of API responses. */
export const users = pgTable(
  'users',
  {
    id: integer().primaryKey().generatedAlwaysAsIdentity(),
    /** Null for users who only have an API key. */
    telegramId: bigint('telegram_id', { mode: 'number' }).unique(),
    role: text({ enum: ['user', 'admin'] })
      .notNull()
      .default('user'),
    /** Plan assigned by an admin; null for the default plan. */
    plan: text(),
    settings: jsonb().$type<Record<string, unknown>>().notNull().default({}),
    /** Text of the admins about the user: "Ann, Sales". */
    note: text(),
    /** Name and username as Telegram last showed them; null unless the operator has them stored. */
    name: text(),
    username: text(),
    /** Time since which the bot can't write to the user's private chat; null if it can, as far as known. */
    unreachableSince: timestamp('unreachable_since', { withTimezone: true }),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
  },
  (table) => [check('users_role', sql`${table.role} in ('user', 'admin')`)],
);

/** API keys by their SHA-256; the keys themselves are not stored. */
export const apiKeys = pgTable(
  'api_keys',
  {
    id: integer().primaryKey().generatedAlwaysAsIdentity(),
    userId: integer('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** 64 lowercase hexadecimal digits. */
    hash: text().notNull().unique(),
    /** First characters of the key, for recognizing it. */
    prefix: text().notNull(),
    label: text().notNull(),
    isUniversal: boolean('is_universal').notNull().default(false),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
    revokedAt: timestamp('revoked_at', { withTimezone: true }),
    lastUsedAt: timestamp('last_used_at', { withTimezone: true }),
    /** Route of the last use, `/ai/openai/chat/completions`, and the client's network, `203.0.113.0/24`. */
    lastUsedRoute: text('last_used_route'),
    lastUsedNetwork: text('last_used_network'),
    /** Text of the owner. */
    note: text(),
    /** Time from which the key is refused; null: never. */
    expiresAt: timestamp('expires_at', { withTimezone: true }),
    /** Patterns of the models that the key may use; null: all. */
    allowedModels: text('allowed_models').array(),
    /** Limits of this key, in addition to those of the owner's plan; null: none. */
    requestsPerMinute: integer('requests_per_minute'),
    tokensPerDay: bigint('tokens_per_day', { mode: 'number' }),
    atOnce: integer('at_once'),
    /** Time since which the key is refused until it is resumed. */
    pausedAt: timestamp('paused_at', { withTimezone: true }),
    /** Rules that an admin has set, which the owner can't change. */
    adminRules: text('admin_rules').array().notNull().default([]),
    /** `manage`: also accepted by the management API while the owner is an admin. */
    scope: text({ enum: ['use', 'manage'] })
      .notNull()
      .default('use'),
    /** Hash of the secret before the last rotation, and the time until which it works. */
    previousHash: text('previous_hash').unique(),
    previousExpiresAt: timestamp('previous_expires_at', { withTimezone: true }),
  },
  (table) => [
    index('api_keys_user').on(table.userId),
    check('api_keys_hash', sql`${table.hash} ~ '^[0-9a-f]{64}$'`),
    check('api_keys_previous_hash', sql`${table.previousHash} ~ '^[0-9a-f]{64}$'`),
    check('api_keys_scope', sql`${table.scope} in ('use', 'manage')`),
    check('api_keys_limits', sql`${table.requestsPerMinute} > 0 and ${table.tokensPerDay} > 0 and ${table.atOnce} > 0`),
    uniqueIndex('api_keys_one_universal')
      .on(table.isUniversal)
      .where(sql`${table.isUniversal} and ${table.revokedAt} is null`),
  ],
);

/** Networks from which a key was used. Their number for each key is bounded. */
export const apiKeyNetworks = pgTable(
  'api_key_networks',
  {
    keyId: integer('key_id')
      .notNull()
      .references(() => apiKeys.id, { onDelete: 'cascade' }),
    /** `203.0.113.0/24` */
    network: text().notNull(),
    firstSeenAt: timestamp('first_seen_at', { withTimezone: true }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.keyId, table.network] })],
);
