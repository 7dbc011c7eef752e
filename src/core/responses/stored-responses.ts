import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { and, arrayOverlaps, desc, eq, gte, lte, sql } from 'drizzle-orm';
import type { Database } from '../../database/connect.ts';
import { conversations, forgottenUsers, jobs, messages, responses } from '../../database/schema/index.ts';
import { toStorableText } from '../../database/storable.ts';
import type { Clock } from '../../lib/clock.ts';
import { createId } from '../../lib/ids.ts';
import { type FinishedResponse, type JsonItem, prepareAddResponse } from './add-response.ts';
import { MAX_READ_BYTES, type ResponseTurn, readTurns, storedBytes } from './read-turns.ts';
import { StoredBytes } from './stored-bytes.ts';

/** A stored response of a user. */
export interface StoredResponse {
  readonly id: string;
  readonly createdAt: Date;
  /** Input items. Empty for an answer given in a chat. */
  readonly input: readonly JsonItem[];
  /** The response object; undefined for an answer given in a chat. */
  readonly body: JsonItem | undefined;
  /** The message with the answer; undefined while the response is in progress. */
  readonly message: { readonly text: string; readonly model: string } | undefined;
  /** `lost`: it was neither generated nor is it going to be. */
  readonly state: 'done' | 'running' | 'waiting' | 'lost';
}

/** A response found by its items. */
export interface ItemsOfResponse {
  readonly id: string;
  readonly input: readonly JsonItem[];
  readonly body: JsonItem;
}

/**
 * Stored responses of the Responses API: their messages belong to the same tree as those of chats, so conversations
 * begun here continue in Telegram, and the other way round. Every method finds the responses of one user only.
 */
export type StoredResponses = ReturnType<typeof createStoredResponses>;

/** Responses are deleted after this time, as OpenAI does. */
export const MAX_RESPONSE_AGE_MS = 30 * 86_400_000;
const MAX_RESPONSES_OF_ITEMS = 1000;
/** Kind of the jobs that generate background responses; their keys are the ids of the responses. */
export const RESPONSE_JOB = 'response';

/** @param maxUserBytes maximum size of what a user stores. Default 256 MiB. */
export function createStoredResponses(
  { db, clock }: { readonly db: Database; readonly clock: Clock },
  maxUserBytes?: number,
) {
  const storedOf = new StoredBytes({ db, clock }, maxUserBytes);
  const addResponse = prepareAddResponse(db);
  const isOwn = (userId: number, id: string) => and(eq(responses.id, toStorableText(id)), eq(responses.userId, userId));

  return {
    /**
     * Reserves space for what a request is going to store. @returns a function that gives it back, to be called once when
     * the response is stored.
     * @throws StoredBytesFullError
     */
    reserve: (userId: number, bytes: number): Promise<() => void> => storedOf.reserve(userId, bytes),
    /**
     * Stores a finished response with its messages.
     * @returns false if it is larger than `MAX_STORED_CHARACTERS`, if the response that it continues or the data of
     * the user was deleted meanwhile, or if it is a background response that was deleted or cancelled; then nothing is
     * stored.
     */
    async add(response: FinishedResponse): Promise<boolean> {
      const bytes = await addResponse(response);
      // The row that `begin` has stored is replaced.
      if (response.isBackground) storedOf.recount(response.userId);
      else await storedOf.add(response.userId, bytes);
      return bytes > 0;
    },
    /**
     * Stores a background response that is going to be generated.
     * @param tx also stores its job, and holds a lock on the user.
     * @returns the number of bytes that are stored, for `count` after the transaction; undefined if the data of the user
     * was deleted since the request; then nothing is stored.
     */
    async begin(
      {
        id,
        userId,
        createdAt,
        inputItems,
        body,
      }: Pick<FinishedResponse, 'id' | 'userId' | 'createdAt' | 'inputItems' | 'body'>,
      tx: Database,
    ): Promise<number | undefined> {
      const isAfter = and(eq(forgottenUsers.userId, userId), gte(forgottenUsers.forgottenAt, createdAt));
      if ((await tx.$count(forgottenUsers, isAfter)) > 0) return undefined;
      const texts = { input: JSON.stringify(inputItems), body: JSON.stringify(body) };
      await tx.insert(responses).values({ id, userId, ...texts, isRunning: true, createdAt });
      return Buffer.byteLength(texts.input) + Buffer.byteLength(texts.body);
    },
    /** Counts what `begin` has stored. Not within its transaction: it waits for statements on other connections. */
    count: (userId: number, bytes: number): Promise<void> => storedOf.add(userId, bytes),
    /**
     * Replaces the body of a background response that has failed or is cancelled.
     * @returns false if it is finished, or deleted.
     */
    async end(userId: number, id: string, body: JsonItem): Promise<boolean> {
      const rows = await db
        .update(responses)
        .set({ isRunning: false, body: JSON.stringify(body) })
        .where(and(isOwn(userId, id), responses.isRunning))
        .returning({ id: responses.id });
      return rows.length > 0;
    },
    /** Returns whether a background response is still to be generated. */
    async isRunning(userId: number, id: string): Promise<boolean> {
      const [row] = await db
        .select({ id: responses.id })
        .from(responses)
        .where(and(isOwn(userId, id), responses.isRunning));
      return row !== undefined;
    },
    async find(userId: number, id: string): Promise<StoredResponse | undefined> {
      const [row] = await db
        .select({ response: responses, text: messages.content, model: messages.model, attempts: jobs.attempts })
        .from(responses)
        .leftJoin(messages, eq(messages.id, responses.messageId))
        .leftJoin(jobs, and(responses.isRunning, eq(jobs.kind, RESPONSE_JOB), eq(jobs.key, responses.id)))
        .where(isOwn(userId, id));
      if (!row) return undefined;
      const { response, text, model, attempts } = row;
      return {
        id,
        createdAt: response.createdAt,
        input: JSON.parse(response.input),
        body: response.body === null ? undefined : JSON.parse(response.body),
        message: text === null ? undefined : { text, model: model ?? '' },
        state: response.isRunning ? toJobState(attempts) : 'done',
      };
    },
    /**
     * Deletes a response and, unless other messages follow, its messages.
     * @returns false if there is none.
     */
    async delete(userId: number, id: string): Promise<boolean> {
      const isDeleted = await db.transaction(async (tx) => {
        const [deleted] = await tx.delete(responses).where(isOwn(userId, id)).returning();
        if (deleted) await deleteMessages(tx, deleted);
        return deleted !== undefined;
      });
      storedOf.recount(userId);
      return isDeleted;
    },
    /**
     * Returns the newest finished responses that contain any of these items, oldest first.
     * @param onSize called with the size of the stored items in bytes.
     */
    async findByItems(
      userId: number,
      itemIds: readonly string[],
      onSize?: (bytes: number) => void,
    ): Promise<readonly ItemsOfResponse[]> {
      if (itemIds.length === 0) return [];
      const { id, input, body, messageId } = responses;
      const newest = sql`order by ${messageId} desc`;
      const found = db
        .select({ id, input, body, messageId, bytes: sql`sum(${storedBytes}) over (${newest})`.as('bytes') })
        .from(responses)
        .where(and(eq(responses.userId, userId), arrayOverlaps(responses.itemIds, itemIds.map(toStorableText))))
        .as('found');
      const rows = await db
        .select()
        .from(found)
        .where(lte(found.bytes, MAX_READ_BYTES))
        .orderBy(desc(found.messageId))
        .limit(MAX_RESPONSES_OF_ITEMS);
      onSize?.(Math.max(0, ...rows.map(({ bytes }) => Number(bytes))));
      const items: ItemsOfResponse[] = [];
      for (const row of rows.reverse()) {
        // Each takes several milliseconds to parse.
        await yieldToEventLoop();
        if (row.body !== null) items.push({ id: row.id, input: JSON.parse(row.input), body: JSON.parse(row.body) });
      }
      return items;
    },
    /**
     * Returns the conversation up to and including a finished response, oldest first; undefined if there is none.
     * @param onSize called with the size of the stored items in bytes, before they are read.
     * @throws ConversationTooLongError; the error of `onSize`.
     */
    async readTurns(
      userId: number,
      id: string,
      onSize?: (bytes: number) => void,
    ): Promise<readonly ResponseTurn[] | undefined> {
      const [response] = await db.select().from(responses).where(isOwn(userId, id));
      if (!response || response.messageId === null) return undefined;
      return readTurns(db, { userId, messageId: response.messageId, onSize });
    },
    /** Returns the id of an answer of a chat, by which the API continues the conversation. Creates it at first. */
    ensureForAnswer: (userId: number, messageId: number): Promise<string> =>
      db.transaction(async (tx) => {
        // Serializes simultaneous calls for the same answer.
        await tx.select({ id: messages.id }).from(messages).where(eq(messages.id, messageId)).for('update');
        const isOfAnswer = and(eq(responses.userId, userId), eq(responses.messageId, messageId));
        const [existing] = await tx.select({ id: responses.id }).from(responses).where(isOfAnswer);
        if (existing) return existing.id;
        const id = createId('resp_');
        await tx.insert(responses).values({ id, userId, messageId, input: '[]', createdAt: new Date(clock.now()) });
        return id;
      }),
  };
}

/** @param attempts of the job; null if there is none. */
function toJobState(attempts: number | null): StoredResponse['state'] {
  if (attempts === null) return 'lost';
  return attempts === 0 ? 'waiting' : 'running';
}

/**
 * Deletes the messages that a response has added, and its conversation if nothing remains; keeps all if others follow.
 */
async function deleteMessages(
  tx: Database,
  { messageId, firstMessageId }: Pick<typeof responses.$inferSelect, 'messageId' | 'firstMessageId'>,
): Promise<void> {
  if (messageId === null || firstMessageId === null) return;
  const [answer] = await tx.select().from(messages).where(eq(messages.id, messageId)).for('update');
  if (!answer) return;
  let id: number | null = messageId;
  // A parent always has a smaller id than its child.
  while (id !== null && id >= firstMessageId) {
    const next: { parentId: number | null } | undefined = await deleteLeaf(tx, id);
    if (!next) break;
    id = next.parentId;
  }
  const { conversationId } = answer;
  const rest = tx.select({ id: messages.id }).from(messages).where(eq(messages.conversationId, conversationId));
  await tx.delete(conversations).where(and(eq(conversations.id, conversationId), sql`not exists ${rest}`));
}

/** Deletes a message without children and returns its parent. */
async function deleteLeaf(tx: Database, id: number): Promise<{ parentId: number | null } | undefined> {
  const children = tx.select({ parentId: messages.parentId }).from(messages).where(eq(messages.parentId, id));
  const [deleted] = await tx
    .delete(messages)
    .where(and(eq(messages.id, id), sql`not exists ${children}`))
    .returning({ parentId: messages.parentId });
  return deleted;
}
