import { and, eq, sql } from 'drizzle-orm';
import type { Database } from '../../database/connect.ts';
import { conversations, messages } from '../../database/schema/index.ts';
import { toStorableText } from '../../database/storable.ts';
import { type ChatTopic, isAt } from './chat-topic.ts';

/** A message of a copied conversation. */
export interface CopiedMessage {
  readonly role: 'user' | 'assistant';
  readonly model?: string | undefined;
  /** Markdown. */
  readonly content: string;
}

/** Copies conversations, e.g. shared ones. */
export function createCopiedConversations({ db }: { readonly db: Database }) {
  return {
    /**
     * Creates a conversation with these messages, oldest first, as the current one of the chat or topic.
     * @returns its id.
     */
    startCopiedConversation: (
      chatTopic: ChatTopic,
      userId: number,
      copied: { readonly title: string; readonly messages: readonly CopiedMessage[] },
    ): Promise<number> =>
      db.transaction(async (tx) => {
        await tx
          .update(conversations)
          .set({ isCurrent: false })
          .where(and(...isAt(chatTopic), conversations.isCurrent));
        const { chatId, topicId = null } = chatTopic;
        const [conversation] = await tx
          .insert(conversations)
          .values({ chatId, topicId, userId, title: toStorableText(copied.title) })
          .returning({ id: conversations.id });
        if (!conversation) throw new Error('The database gave no row back');
        let parentId: number | null = null;
        for (const message of copied.messages)
          parentId = await addMessage(tx, { ...message, conversationId: conversation.id, parentId });
        await tx.update(conversations).set({ headId: parentId }).where(eq(conversations.id, conversation.id));
        return conversation.id;
      }),
  };
}

async function addMessage(
  tx: Database,
  {
    role,
    content,
    model = '',
    ...position
  }: CopiedMessage & { readonly conversationId: number; readonly parentId: number | null },
): Promise<number> {
  // Copied answers are complete: nothing has to be delivered.
  const finished = { model: toStorableText(model) || null, finishReason: 'stop', settledAt: sql`now()` };
  const [row] = await tx
    .insert(messages)
    .values({ ...position, role, content: toStorableText(content), ...(role === 'assistant' && finished) })
    .returning({ id: messages.id });
  if (!row) throw new Error('The database gave no row back');
  return row.id;
}
