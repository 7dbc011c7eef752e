import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { and, desc, eq, lt } from 'drizzle-orm';
import type { Database } from '../../database/connect.ts';
import { messages } from '../../database/schema/index.ts';
import { type RecordedMessage, toRecorded } from './recorded-message.ts';

/** Messages of a conversation in all branches, oldest first. */
export interface ConversationRecord {
  readonly messages: readonly RecordedMessage[];
  /** False if the oldest messages are missing, because not all fit. */
  readonly isComplete: boolean;
}

const MAX_MESSAGES = 5000;
const MAX_CHARACTERS = 8_000_000;
/** The embedded database runs in this thread: a batch of this size blocks it for some milliseconds. */
const BATCH_MESSAGES = 50;

/** Reads the newest messages of a conversation, up to 5000 messages and 8 million characters. */
export async function readRecord(db: Database, conversationId: number): Promise<ConversationRecord> {
  const newestFirst: RecordedMessage[] = [];
  let characters = 0;
  for (;;) {
    const last = newestFirst.at(-1);
    const isOlder = last && lt(messages.id, last.id);
    const rows = await db
      .select()
      .from(messages)
      .where(and(eq(messages.conversationId, conversationId), isOlder))
      .orderBy(desc(messages.id))
      .limit(BATCH_MESSAGES);
    for (const row of rows) {
      characters += row.content.length;
      if (characters > MAX_CHARACTERS || newestFirst.length === MAX_MESSAGES)
        return { messages: newestFirst.reverse(), isComplete: false };
      newestFirst.push(toRecorded(row));
    }
    if (rows.length < BATCH_MESSAGES) return { messages: newestFirst.reverse(), isComplete: true };
    await yieldToEventLoop();
  }
}
