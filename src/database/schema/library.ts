import { sql } from 'drizzle-orm';
import { bigint, check, foreignKey, index, integer, pgTable, text, timestamp } from 'drizzle-orm/pg-core';
import { users } from './accounts.ts';
import { attachmentTexts, messages } from './conversations.ts';
import { files } from './storage.ts';
import { tsvector } from './tsvector.ts';
import { varbit } from './varbit.ts';

/**
 * Search index of messages, texts of their attachments, and stored files, cut into chunks. The text itself stays where
 * it is. Triggers delete the chunks of a text that changes; those of a deleted text go with it.
 */
export const libraryChunks = pgTable(
  'library_chunks',
  {
    id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    /** Null for files. */
    messageId: bigint('message_id', { mode: 'number' }).references(() => messages.id, { onDelete: 'cascade' }),
    /** Index of the message's attachment, from 0; null for its own text. */
    position: integer(),
    /** Null for messages. */
    fileId: text('file_id').references(() => files.id, { onDelete: 'cascade' }),
    /** User who owns it; null for those of groups. */
    userId: integer('user_id').references(() => users.id, { onDelete: 'cascade' }),
    /** Telegram id of the group that owns it; null for those of users. */
    groupId: bigint('group_id', { mode: 'number' }),
    /** Counts the owner's chunks in the order of indexing, which is about that of their times. May repeat. */
    number: integer().notNull(),
    /** Time of the message or file. */
    sentAt: timestamp('sent_at', { withTimezone: true }).notNull(),
    /** Range in the text, in characters from 0. */
    start: integer().notNull(),
    length: integer().notNull(),
    /** Words of the chunk, one that names the owner, and one for the range of numbers (`core/library/owner.ts`). */
    words: tsvector().notNull(),
  },
  (table) => [
    foreignKey({
      columns: [table.messageId, table.position],
      foreignColumns: [attachmentTexts.messageId, attachmentTexts.position],
      name: 'library_chunks_attachment',
    }).onDelete('cascade'),
    check('library_chunks_source', sql`num_nonnulls(${table.messageId}, ${table.fileId}) = 1`),
    check('library_chunks_owner', sql`num_nonnulls(${table.userId}, ${table.groupId}) = 1`),
    // Without a pending list, which searches would have to read row by row.
    index('library_chunks_words').using('gin', table.words).with({ fastupdate: false }),
    index('library_chunks_message').on(table.messageId, table.position),
    index('library_chunks_file').on(table.fileId).where(sql`${table.fileId} is not null`),
    index('library_chunks_user').on(table.userId, table.number).where(sql`${table.userId} is not null`),
    index('library_chunks_group').on(table.groupId, table.number).where(sql`${table.groupId} is not null`),
  ],
);

/** Texts that are not indexed yet, or have changed since. Triggers insert the rows. */
export const libraryChanges = pgTable(
  'library_changes',
  {
    id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    messageId: bigint('message_id', { mode: 'number' }).references(() => messages.id, { onDelete: 'cascade' }),
    /** Index of the message's attachment, from 0; null for its own text. */
    position: integer(),
    fileId: text('file_id').references(() => files.id, { onDelete: 'cascade' }),
    /** Number of times that a process has begun to index it. */
    attempts: integer().notNull().default(0),
    /** Time from which a process may index it, and end of the lease of the one that does. */
    dueAt: timestamp('due_at', { withTimezone: true }).notNull().defaultNow(),
  },
  (table) => [
    check('library_changes_source', sql`num_nonnulls(${table.messageId}, ${table.fileId}) = 1`),
    index('library_changes_message').on(table.messageId).where(sql`${table.messageId} is not null`),
    index('library_changes_file').on(table.fileId).where(sql`${table.fileId} is not null`),
  ],
);

/** Texts of stored files, read in the background for search. Deleted with the file, and with its user. */
export const fileTexts = pgTable(
  'file_texts',
  {
    fileId: text('file_id')
      .primaryKey()
      .references(() => files.id, { onDelete: 'cascade' }),
    userId: integer('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** Null until it is read, and if it can't be read. */
    text: text(),
    /** Reason why the file gives no text. */
    problem: text(),
    /** Number of times that a process has begun to read it. */
    attempts: integer().notNull().default(0),
    /** Time from which a process may read it, and end of the lease of the one that does; null when it is done. */
    dueAt: timestamp('due_at', { withTimezone: true }).defaultNow(),
  },
  (table) => [
    check('file_texts_state', sql`num_nonnulls(${table.text}, ${table.problem}, ${table.dueAt}) = 1`),
    index('file_texts_due').on(table.dueAt).where(sql`${table.dueAt} is not null`),
    index('file_texts_user').on(table.userId),
  ],
);

/**
 * Vectors of chunks, by which they are searched by meaning. Short rows of their own: a search reads all those of an
 * owner, and a vector comes later than its chunk.
 */
export const libraryVectors = pgTable(
  'library_vectors',
  {
    chunkId: bigint('chunk_id', { mode: 'number' })
      .primaryKey()
      .references(() => libraryChunks.id, { onDelete: 'cascade' }),
    /** Owner and number of the chunk, which never change. */
    userId: integer('user_id'),
    groupId: bigint('group_id', { mode: 'number' }),
    number: integer().notNull(),
    /** Name of the embedding model at its provider. Vectors of different models can't be compared. */
    model: text().notNull(),
    /** Signs of the vector's numbers: 1 for positive ones. */
    signs: varbit().notNull(),
  },
  (table) => [
    check('library_vectors_owner', sql`num_nonnulls(${table.userId}, ${table.groupId}) = 1`),
    index('library_vectors_user').on(table.userId, table.number).where(sql`${table.userId} is not null`),
    index('library_vectors_group').on(table.groupId, table.number).where(sql`${table.groupId} is not null`),
  ],
);
