import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { and, eq, inArray, isNotNull, sql } from 'drizzle-orm';
import type { Database } from '../../database/connect.ts';
import { messages, responses } from '../../database/schema/index.ts';
import { selectPath } from '../conversations/index.ts';
import type { ConversationText, JsonItem } from './add-response.ts';

/** A part of a conversation before a response: items of an earlier response, or a message of a chat. */
export type ResponseTurn =
  | { readonly kind: 'response'; readonly input: readonly JsonItem[]; readonly body: JsonItem }
  | ({ readonly kind: 'message' } & ConversationText);

/** Thrown if a stored conversation is too long to be continued. */
export class ConversationTooLongError extends Error {
  override readonly name = 'ConversationTooLongError';
  constructor() {
    super(`The stored conversation is longer than ${MAX_READ_BYTES / 1024 / 1024} MiB.`);
  }
}

/** Maximum size of the stored items that are read for one request: that of a request. */
export const MAX_READ_BYTES = 20 * 1024 * 1024;
/** Size of a stored response in bytes. */
export const storedBytes = sql<number>`(octet_length(${responses.input}) + coalesce(octet_length(${responses.body}), 0))`;

/**
 * Returns the conversation up to a message, oldest first: stored responses with their exact items, everything between
 * them as texts.
 * @throws ConversationTooLongError; the error of `onSize`, which is called with the size of the items in bytes.
 */
export async function readTurns(
  db: Database,
  {
    userId,
    messageId,
    onSize,
  }: {
    readonly userId: number;
    readonly messageId: number;
    readonly onSize?: ((bytes: number) => void) | undefined;
  },
): Promise<readonly ResponseTurn[]> {
  const path = await db
    .select({ id: messages.id, role: messages.role, text: messages.content })
    .from(messages)
    .where(sql`${messages.id} in ${selectPath(messageId)}`)
    .orderBy(messages.id);
  const ids = path.map(({ id }) => id);
  const isOnPath = and(eq(responses.userId, userId), inArray(responses.messageId, ids), isNotNull(responses.body));
  const sizes = await db.select({ bytes: storedBytes }).from(responses).where(isOnPath);
  const sizeBytes = sizes.reduce((sum, { bytes }) => sum + bytes, 0);
  if (sizeBytes > MAX_READ_BYTES) throw new ConversationTooLongError();
  onSize?.(sizeBytes);
  const rows = await db.select().from(responses).where(isOnPath);
  const byAnswer = new Map(rows.map((row) => [row.messageId, row]));
  const turns: ResponseTurn[] = [];
  // From the newest: a response covers the messages down to the one that its input follows.
  let coveredDownTo: number | undefined;
  for (const { id, role, text } of path.toReversed()) {
    if (coveredDownTo !== undefined && id > coveredDownTo) continue;
    const response = byAnswer.get(id);
    if (response?.body) {
      // Each takes several milliseconds to parse.
      await yieldToEventLoop();
      turns.unshift({ kind: 'response', input: JSON.parse(response.input), body: JSON.parse(response.body) });
      coveredDownTo = response.parentMessageId ?? 0;
    } else if (text !== '') turns.unshift({ kind: 'message', role, text });
  }
  return turns;
}
