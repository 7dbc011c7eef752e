import { setImmediate as nextTurn } from 'node:timers/promises';
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
/** Maximum number of messages of one input that the conversation shows. */
const MAX_INPUT_MESSAGES = 500;
/** The embedded database runs on this thread: few milliseconds of work. */
const ROWS_PER_STATEMENT = 50;

/**
 * Adds the input and the answer of a response to the tree of messages, in the user's private chat. Of a long input
 * only the newest messages are added. The conversation does not become the current one; the branch is shown if the
 * parent was.
 * @returns the ids of the first message and of the answer; undefined if the parent was deleted.
 */
export async function placeMessages(
  tx: Database,
  response: PlacedResponse,
): Promise<{ readonly firstId: number; readonly answerId: number } | undefined> {
  const conversationId = await findOrBeginConversation(tx, response);
  if (conversationId === undefined) return undefined;
  const texts: readonly ConversationText[] = [
    ...response.input.slice(-MAX_INPUT_MESSAGES),
    { role: 'assistant', text: response.answer },
  ];
  const ids = await reserveIds(tx, texts.length);
  const rows = texts.map((text, index) => ({
    id: ids[index] ?? 0,
    conversationId,
    parentId: ids[index - 1] ?? response.parentMessageId ?? null,
    ...toContent(text, response),
  }));
  for (let start = 0; start < rows.length; start += ROWS_PER_STATEMENT) {
    const batch = rows.slice(start, start + ROWS_PER_STATEMENT);
    await tx.insert(messages).overridingSystemValue().values(batch);
    await nextTurn();
  }
  const [firstId, answerId] = [ids[0], ids.at(-1)];
  if (firstId === undefined || answerId === undefined) return undefined;
  await showBranch(tx, { conversationId, from: response.parentMessageId, to: answerId });
  return { firstId, answerId };
}

/** Returns ids for new messages, in ascending order. */
async function reserveIds(tx: Database, count: number): Promise<readonly number[]> {
  const id = sql`nextval(pg_get_serial_sequence('messages', 'id'))`.mapWith(Number).as('id');
  const rows = await tx.select({ id }).from(sql`generate_series(1, ${count}::int)`);
  return rows.map((row) => row.id);
}

function toContent({ role, text }: ConversationText, { userId, model, finishReason, hasForeignText }: PlacedResponse) {
  const content = toStorableText(text);
  if (role === 'user') return { role, content, userId };
  return {
    role,
    content,
    model: toStorableText(model),
    finishReason: toStorableText(finishReason),
    settledAt: sql`now()`,
    ...(hasForeignText ? { extras: { hasForeignText: true } } : {}),
  };
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
  const chatId = tx
    .select({ chatId: sql`coalesce(${users.telegramId}, ${NO_CHAT})` })
    .from(users)
    .where(eq(users.id, userId));
  const [conversation] = await tx
    .insert(storedConversations)
    .values({
      chatId: sql`${chatId}`,
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
