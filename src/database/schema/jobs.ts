import { bigint, index, integer, pgTable, text, timestamp, unique } from 'drizzle-orm/pg-core';
import { users } from './accounts.ts';

/** Work that outlives processes. A row is deleted when its work is done or cancelled. */
export const jobs = pgTable(
  'jobs',
  {
    id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    /** Name of the code that runs it: `response`. */
    kind: text().notNull(),
    /** What it is about, such as the id of a response. */
    key: text().notNull(),
    /** User whose work it is. */
    userId: integer('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** JSON. Text, because the database never reads inside. */
    payload: text().notNull(),
    /** Number of times that a process has begun it. */
    attempts: integer().notNull().default(0),
    /** The process that runs it; null while it waits. */
    holder: text(),
    /** Time from which a process may run it, and end of the lease of the one that does. */
    dueAt: timestamp('due_at', { withTimezone: true }).notNull().defaultNow(),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
  },
  (table) => [
    unique('jobs_key').on(table.kind, table.key),
    index('jobs_due').on(table.dueAt),
    index('jobs_user').on(table.userId),
  ],
);
