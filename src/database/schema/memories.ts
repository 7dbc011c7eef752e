import { sql } from 'drizzle-orm';
import { bigint, boolean, check, index, integer, pgTable, text, timestamp, unique } from 'drizzle-orm/pg-core';
import { users } from './accounts.ts';
import { groups } from './groups.ts';

/** Lines that models remember across conversations. Each belongs to one user or to one group. */
export const memories = pgTable(
  'memories',
  {
    id: integer().primaryKey().generatedAlwaysAsIdentity(),
    /** User who owns it; null for lines of groups. */
    userId: integer('user_id').references(() => users.id, { onDelete: 'cascade' }),
    /** Telegram id of the group that owns it; null for lines of users. */
    groupId: bigint('group_id', { mode: 'number' }).references(() => groups.chatId, {
      onDelete: 'cascade',
      onUpdate: 'cascade',
    }),
    content: text().notNull(),
    /** SHA-256 of the text without differences in case and punctuation at its end. */
    digest: text().notNull(),
    /** User who wrote it, or for whom a model wrote it. */
    authorId: integer('author_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** True if a model wrote it after it had read text of others. */
    hasForeignText: boolean('has_foreign_text').notNull().default(false),
    /** Telegram message that it comes from. A group that becomes a supergroup gets a new id, but not its messages. */
    sourceChatId: bigint('source_chat_id', { mode: 'number' }),
    sourceMessageId: integer('source_message_id'),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull(),
    updatedAt: timestamp('updated_at', { withTimezone: true }).notNull(),
  },
  (table) => [
    unique('memories_of_user').on(table.userId, table.digest),
    unique('memories_of_group').on(table.groupId, table.digest),
    index('memories_author').on(table.authorId),
    check('memories_one_owner', sql`num_nonnulls(${table.userId}, ${table.groupId}) = 1`),
    check('memories_content', sql`char_length(${table.content}) between 1 and 300`),
    check('memories_source', sql`num_nonnulls(${table.sourceChatId}, ${table.sourceMessageId}) <> 1`),
  ],
);
