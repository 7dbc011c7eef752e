import { sql } from 'drizzle-orm';
import { boolean, check, integer, pgTable, text, timestamp, uniqueIndex } from 'drizzle-orm/pg-core';
import { users } from './accounts.ts';

/** Users' own personas: a name and a system prompt. */
export const personas = pgTable(
  'personas',
  {
    id: integer().primaryKey().generatedAlwaysAsIdentity(),
    userId: integer('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    name: text().notNull(),
    instructions: text().notNull(),
    /** True if another user has written the instructions. */
    isCopied: boolean('is_copied').notNull().default(false),
    /** Key in the link for sharing; null if not shared. */
    shareKey: text('share_key').unique(),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
  },
  (table) => [
    uniqueIndex('personas_name').on(table.userId, sql`lower(${table.name})`),
    check('personas_not_empty', sql`${table.name} <> '' and ${table.instructions} <> ''`),
  ],
);
