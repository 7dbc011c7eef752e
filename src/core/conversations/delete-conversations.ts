import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { desc, eq, inArray, type SQL } from 'drizzle-orm';
import type { Database } from '../../database/connect.ts';
import { messages, storedConversations } from '../../database/schema/index.ts';

/** The embedded database runs in this thread: a batch of this size blocks it for some milliseconds. */
const BATCH_MESSAGES = 100;

/** Deletes conversations with their messages. @param tx a transaction, so that all or nothing is deleted. */
export async function deleteConversations(tx: Database, filter: SQL | undefined): Promise<void> {
  const found = await tx.select({ id: storedConversations.id }).from(storedConversations).where(filter);
  for (const { id } of found) await deleteMessages(tx, id);
  await tx.delete(storedConversations).where(filter);
}

async function deleteMessages(tx: Database, conversationId: number): Promise<void> {
  // Messages have greater ids than their parents: none is deleted by a cascade.
  const newest = tx
    .select({ id: messages.id })
    .from(messages)
    .where(eq(messages.conversationId, conversationId))
    .orderBy(desc(messages.id))
    .limit(BATCH_MESSAGES);
  let count: number;
  do {
    const deleted = await tx.delete(messages).where(inArray(messages.id, newest)).returning({ id: messages.id });
    count = deleted.length;
    await yieldToEventLoop();
  } while (count === BATCH_MESSAGES);
}
