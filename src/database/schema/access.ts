import { sql } from 'drizzle-orm';
import { bigint, check, index, integer, pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core';

/**
 * Accounts that have asked for access to a private service, one row each. They need not be users. Rows are deleted a day
 * after the decision, a week after the request at the latest.
 */
export const accessRequests = pgTable(
  'access_requests',
  {
    telegramId: bigint('telegram_id', { mode: 'number' }).primaryKey(),
    /** Name and username for the admins who decide. */
    name: text().notNull(),
    /** Language of the account's app, for the message about the decision. */
    language: text(),
    state: text({ enum: ['open', 'allowed', 'ignored', 'blocked'] })
      .notNull()
      .default('open'),
    askedAt: timestamp('asked_at', { withTimezone: true }).notNull(),
    decidedAt: timestamp('decided_at', { withTimezone: true }),
    /** Telegram id of the admin who has decided. */
    decidedBy: bigint('decided_by', { mode: 'number' }),
    /** Newest message id of the chat before the send that tells so: after a crash the message is searched above it. */
    tellingAfterId: bigint('telling_after_id', { mode: 'number' }),
    /** Time at which the account was told that it has access. */
    toldAt: timestamp('told_at', { withTimezone: true }),
  },
  (table) => [
    index('access_requests_state').on(table.state, table.askedAt),
    check('access_requests_state_known', sql`${table.state} in ('open', 'allowed', 'ignored', 'blocked')`),
  ],
);

/** The message to each admin that lists the open requests. */
export const accessNotices = pgTable('access_notices', {
  adminTelegramId: bigint('admin_telegram_id', { mode: 'number' }).primaryKey(),
  messageId: integer('message_id').notNull(),
  /** Account whose request it shows. */
  shownTelegramId: bigint('shown_telegram_id', { mode: 'number' }),
  /** Hash of what it shows, so that names and ids do not outlive the requests. */
  content: text().notNull(),
  sentAt: timestamp('sent_at', { withTimezone: true }).notNull(),
});

/** Links of admins that let accounts into a private service. Their codes are stored as SHA-256. */
export const invitations = pgTable(
  'invitations',
  {
    id: integer().primaryKey().generatedAlwaysAsIdentity(),
    hash: text().notNull().unique(),
    /** Telegram id of the admin; without the role the link does not work. */
    createdBy: bigint('created_by', { mode: 'number' }).notNull(),
    /** Plan of the accounts; null: the default plan. */
    plan: text(),
    maxUses: integer('max_uses').notNull(),
    useCount: integer('use_count').notNull().default(0),
    expiresAt: timestamp('expires_at', { withTimezone: true }).notNull(),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull(),
  },
  (table) => [
    index('invitations_expiry').on(table.expiresAt),
    check('invitations_hash', sql`${table.hash} ~ '^[0-9a-f]{64}$'`),
    check('invitations_uses', sql`${table.useCount} between 0 and ${table.maxUses}`),
  ],
);

/** Accounts that have used an invitation. None can use it twice. */
export const invitationUses = pgTable(
  'invitation_uses',
  {
    invitationId: integer('invitation_id')
      .notNull()
      .references(() => invitations.id, { onDelete: 'cascade' }),
    telegramId: bigint('telegram_id', { mode: 'number' }).notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.invitationId, table.telegramId] }),
    index('invitation_uses_account').on(table.telegramId),
  ],
);

/** Accounts that were members of a group whose members may use a private service, when Telegram was last asked. */
export const groupAdmissions = pgTable(
  'group_admissions',
  {
    telegramId: bigint('telegram_id', { mode: 'number' }).notNull(),
    chatId: bigint('chat_id', { mode: 'number' }).notNull(),
    checkedAt: timestamp('checked_at', { withTimezone: true }).notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.telegramId, table.chatId] }),
    index('group_admissions_chat').on(table.chatId),
    index('group_admissions_time').on(table.checkedAt),
  ],
);
