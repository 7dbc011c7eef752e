import { sql } from 'drizzle-orm';
import { bigint, check, index, integer, pgTable, text, timestamp } from 'drizzle-orm/pg-core';
import { users } from './accounts.ts';

/** Telegram accounts that may not use the service, known to it or not. A ban outlives everything else that is kept of somebody. */
export const bans = pgTable('bans', {
  telegramId: bigint('telegram_id', { mode: 'number' }).primaryKey(),
  reason: text().notNull(),
  createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
});

/** Telegram accounts that an admin has let into a service that is not for everybody. */
export const allowedUsers = pgTable('allowed_people', {
  telegramId: bigint('telegram_id', { mode: 'number' }).primaryKey(),
  createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
});

/** What those who run the service have done, newest last. Rows are never changed. */
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
        'announce',
        'pause-announcement',
        'resume-announcement',
        'cancel-announcement',
      ],
    }).notNull(),
    /** Telegram id of a person, id of a file, number of an announcement. */
    subject: text().notNull(),
    /** The admin's words; empty where there were none. */
    reason: text().notNull(),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull(),
  },
  (table) => [
    check(
      'admin_actions_action',
      sql`${table.action} in ('ban', 'unban', 'allow', 'disallow', 'take-down', 'plan', 'announce', 'pause-announcement', 'resume-announcement', 'cancel-announcement')`,
    ),
  ],
);

/** People whose data was removed at their wish: what is left, their number, goes a day later, when no limit counts any more. */
export const forgottenUsers = pgTable(
  'forgotten_people',
  {
    userId: integer('person_id')
      .primaryKey()
      .references(() => users.id, { onDelete: 'cascade' }),
    forgottenAt: timestamp('forgotten_at', { withTimezone: true }).notNull(),
  },
  (table) => [index('forgotten_people_time').on(table.forgottenAt)],
);
