import { and, eq, sql } from 'drizzle-orm';
import type { Database } from '../../database/connect.ts';
import { messages, threads } from '../../database/schema/index.ts';
import { toStorableText } from '../../database/storable.ts';
import { isAt, type Place } from './place.ts';

/** A message that was written elsewhere. */
export interface CopiedMessage {
  readonly role: 'user' | 'assistant';
  readonly model?: string | undefined;
  /** Markdown. */
  readonly content: string;
}

/** Conversations that came from elsewhere. */
export interface CopiedThreads {
  /** A new thread with these messages, oldest first, that becomes the place's current one. @returns its id. */
  startCopiedThread(
    place: Place,
    userId: number,
    copied: { readonly title: string; readonly messages: readonly CopiedMessage[] },
  ): Promise<number>;
}

/** Copied conversations in the database. */
export function createCopiedThreads({ db }: { readonly db: Database }): CopiedThreads {
  return {
    startCopiedThread: (place, userId, copied) =>
      db.transaction(async (tx) => {
        await tx
          .update(threads)
          .set({ isCurrent: false })
          .where(and(...isAt(place), threads.isCurrent));
        const { chatId, topicId = null } = place;
        const [thread] = await tx
          .insert(threads)
          .values({ chatId, topicId, userId, title: toStorableText(copied.title) })
          .returning({ id: threads.id });
        if (!thread) throw new Error('The database gave no row back');
        let parentId: number | null = null;
        for (const message of copied.messages)
          parentId = await addMessage(tx, { ...message, threadId: thread.id, parentId });
        await tx.update(threads).set({ headId: parentId }).where(eq(threads.id, thread.id));
        return thread.id;
      }),
  };
}

async function addMessage(
  tx: Database,
  {
    role,
    content,
    model = '',
    ...place
  }: CopiedMessage & { readonly threadId: number; readonly parentId: number | null },
): Promise<number> {
  // Nobody is owed an answer that stands elsewhere.
  const finished = { model: toStorableText(model) || null, finishReason: 'stop', settledAt: sql`now()` };
  const [row] = await tx
    .insert(messages)
    .values({ ...place, role, content: toStorableText(content), ...(role === 'assistant' && finished) })
    .returning({ id: messages.id });
  if (!row) throw new Error('The database gave no row back');
  return row.id;
}
