import { and, eq, sql } from 'drizzle-orm';
import type { Database } from '../../database/connect.ts';
import { messages, threads } from '../../database/schema/index.ts';
import { toStorableText } from '../../database/storable.ts';
import { isAt, type Place } from './place.ts';

/** A message of a copied conversation. */
export interface CopiedMessage {
  readonly role: 'user' | 'assistant';
  readonly model?: string | undefined;
  /** Markdown. */
  readonly content: string;
}

/** Copies of conversations, e.g. of shared ones. */
export interface CopiedThreads {
  /**
   * Creates a conversation with these messages, oldest first, as the current one of the chat or topic.
   * @returns its id.
   */
  startCopiedThread(
    place: Place,
    userId: number,
    copied: { readonly title: string; readonly messages: readonly CopiedMessage[] },
  ): Promise<number>;
}

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
  // Copied answers are complete: nothing has to be delivered.
  const finished = { model: toStorableText(model) || null, finishReason: 'stop', settledAt: sql`now()` };
  const [row] = await tx
    .insert(messages)
    .values({ ...place, role, content: toStorableText(content), ...(role === 'assistant' && finished) })
    .returning({ id: messages.id });
  if (!row) throw new Error('The database gave no row back');
  return row.id;
}
