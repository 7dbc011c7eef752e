import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { desc, eq, inArray, type SQL } from 'drizzle-orm';
import type { Database } from '../../database/connect.ts';
import { conversations, messages } from '../../database/schema/index.ts';

/** The embedded database runs in this thread: a batch of this size blocks it for some milliseconds. */
const BATCH_MESSAGES = 100;

/** Deletes conversations with their messages, in parts. @param db a transaction where it must be all or nothing. */
export async function deleteConversations(db: Database, filter: SQL | undefined): Promise<void> {
  const found = await db.select({ id: conversations.id }).from(conversations).where(filter);
  for (const { id } of found) await deleteMessages(db, id);
  await db.delete(conversations).where(filter);
}

async function deleteMessages(db: Database, conversationId: number): Promise<void> {
  // Messages have greater ids than their parents: none is deleted by a cascade.
  const newest = db
    .select({ id: messages.id })
    .from(messages)
    .where(eq(messages.conversationId, conversationId))
    .orderBy(desc(messages.id))
    .limit(BATCH_MESSAGES);
  let count: number;
  do {
    const deleted = await db.delete(messages).where(inArray(messages.id, newest)).returning({ id: messages.id });
    count = deleted.length;
    await yieldToEventLoop();
  } while (count === BATCH_MESSAGES);
}
