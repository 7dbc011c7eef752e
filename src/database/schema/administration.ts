import { sql } from 'drizzle-orm';
import { bigint, check, index, integer, pgTable, text, timestamp } from 'drizzle-orm/pg-core';
import { users } from './accounts.ts';

/**
 * Telegram accounts that may not use the service, whether or not they are users. A ban is kept when the user's data is
 * deleted.
 */
export const bans = pgTable('bans', {
  telegramId: bigint('telegram_id', { mode: 'number' }).primaryKey(),
  reason: text().notNull(),
  createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
});

/** Telegram accounts that an admin has admitted to a private service. */
export const allowedUsers = pgTable('allowed_users', {
  telegramId: bigint('telegram_id', { mode: 'number' }).primaryKey(),
  createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
});

/** Audit log of the admins, newest last. Rows are never changed. */
export const adminActions = pgTable(
  'admin_actions',
  {
    id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    adminTelegramId: bigint('admin_telegram_id', { mode: 'number' }).notNull(),
    action: text({
      enum: [
        'ban',
        'unban',
        'allow',
        'disallow',
        'take-down',
        'plan',
        'broadcast',
        'pause-broadcast',
        'resume-broadcast',
        'cancel-broadcast',
        'create-key',
        'change-key',
        'rotate-key',
        'revoke-key',
        'set-budget',
        'raise-budget',
        'ignore-request',
        'create-invitation',
        'revoke-invitation',
        'admit-group',
        'dismiss-group',
        'note',
        'set-setting',
        'remove-setting',
        'undo-setting',
      ],
    }).notNull(),
    /** API key by which the admin acted; null: in the chat or the console. It may have been deleted since. */
    keyId: integer('key_id'),
    /** Telegram id of a user, id of a file or of a broadcast, `key:12`, the scope of a budget, or the name of a stored setting. */
    subject: text().notNull(),
    /** Reason given by the admin; empty if none. */
    reason: text().notNull(),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull(),
  },
  (table) => [
    check(
      'admin_actions_action',
      sql`${table.action} in ('ban', 'unban', 'allow', 'disallow', 'take-down', 'plan', 'broadcast', 'pause-broadcast', 'resume-broadcast', 'cancel-broadcast', 'create-key', 'change-key', 'rotate-key', 'revoke-key', 'set-budget', 'raise-budget', 'ignore-request', 'create-invitation', 'revoke-invitation', 'admit-group', 'dismiss-group', 'note', 'set-setting', 'remove-setting', 'undo-setting')`,
    ),
  ],
);

/**
 * Users whose data was deleted at their request. The remaining row in `users` is deleted a day later, when no quota
 * counts any more.
 */
export const forgottenUsers = pgTable(
  'forgotten_users',
  {
    userId: integer('user_id')
      .primaryKey()
      .references(() => users.id, { onDelete: 'cascade' }),
    forgottenAt: timestamp('forgotten_at', { withTimezone: true }).notNull(),
  },
  (table) => [index('forgotten_users_time').on(table.forgottenAt)],
);
