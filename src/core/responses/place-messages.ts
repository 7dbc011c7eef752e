import { and, eq, isNull, or, sql } from 'drizzle-orm';
import type { Database } from '../../database/connect.ts';
import { messages, storedConversations, users } from '../../database/schema/index.ts';
import { toStorableText } from '../../database/storable.ts';

/** A message of a response's input, as the conversation shows it. */
export interface ConversationText {
  readonly role: 'user' | 'assistant';
  /** Markdown. */
  readonly text: string;
}

/** The messages that a response adds to a conversation. */
export interface PlacedResponse {
  readonly userId: number;
  /** The message that the input follows; undefined begins a conversation. */
  readonly parentMessageId: number | undefined;
  /** The messages of the input, oldest first. */
  readonly input: readonly ConversationText[];
  readonly answer: string;
  /** Public name of the requested model. */
  readonly model: string;
  readonly finishReason: string;
  /** System prompt of a conversation that begins. */
  readonly instructions: string | undefined;
  /** Whether the input contains results of tools, which the user has not written. */
  readonly hasForeignText: boolean;
}

/** Chat of conversations whose user has no Telegram account: no chat has this id. */
export const NO_CHAT = 0;

/**
 * Adds the input and the answer of a response to the tree of messages, in the user's private chat. The conversation
 * does not become the current one; the branch is shown if the parent was.
 * @returns the ids of the first message and of the answer; undefined if the parent was deleted.
 */
export async function placeMessages(
  tx: Database,
  response: PlacedResponse,
): Promise<{ readonly firstId: number; readonly answerId: number } | undefined> {
  const conversationId = await findOrBeginConversation(tx, response);
  if (conversationId === undefined) return undefined;
  const { userId, model, finishReason } = response;
  const answer: ConversationText = { role: 'assistant', text: response.answer };
  const ids: number[] = [];
  for (const { role, text } of [...response.input, answer]) {
    const finished = {
      model: toStorableText(model),
      finishReason: toStorableText(finishReason),
      settledAt: sql`now()`,
    };
    const [row] = await tx
      .insert(messages)
      .values({
        conversationId,
        parentId: ids.at(-1) ?? response.parentMessageId ?? null,
        role,
        content: toStorableText(text),
        ...(role === 'user' ? { userId } : finished),
        ...(response.hasForeignText && role === 'assistant' ? { extras: { hasForeignText: true } } : {}),
      })
      .returning({ id: messages.id });
    if (row) ids.push(row.id);
  }
  const [firstId, answerId] = [ids[0], ids.at(-1)];
  if (firstId === undefined || answerId === undefined) return undefined;
  await showBranch(tx, { conversationId, from: response.parentMessageId, to: answerId });
  return { firstId, answerId };
}

async function findOrBeginConversation(tx: Database, response: PlacedResponse): Promise<number | undefined> {
  const { userId, parentMessageId, model, instructions } = response;
  if (parentMessageId !== undefined) {
    const [parent] = await tx
      .select({ conversationId: messages.conversationId })
      .from(messages)
      .where(eq(messages.id, parentMessageId));
    return parent?.conversationId;
  }
  const [user] = await tx.select({ telegramId: users.telegramId }).from(users).where(eq(users.id, userId));
  const [conversation] = await tx
    .insert(storedConversations)
    .values({
      chatId: user?.telegramId ?? NO_CHAT,
      userId,
      isCurrent: false,
      model: toStorableText(model),
      ...(instructions ? { instructions: toStorableText(instructions), instructionsBy: userId } : {}),
    })
    .returning({ id: storedConversations.id });
  return conversation?.id;
}

/** Makes the new messages the visible branch, unless the conversation shows another one. */
async function showBranch(
  tx: Database,
  { conversationId, from, to }: { conversationId: number; from: number | undefined; to: number },
): Promise<void> {
  const { id, headId } = storedConversations;
  const showedParent = from === undefined ? undefined : or(isNull(headId), eq(headId, from));
  await tx
    .update(storedConversations)
    .set({ headId: to })
    .where(and(eq(id, conversationId), showedParent));
}
