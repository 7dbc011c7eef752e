import { createHash } from 'node:crypto';
import { and, asc, eq, inArray, ne, type SQL, sql } from 'drizzle-orm';
import type { Database } from '../../database/connect.ts';
import { groups, memories, users } from '../../database/schema/index.ts';
import { toStorableText } from '../../database/storable.ts';
import type { Clock } from '../../lib/clock.ts';
import { toOneLine } from '../../lib/text.ts';
import { type ChatOwner, isOwn } from '../conversations/index.ts';

/** Maximum number of characters of a memory. Short lines keep prompts small and fit completely into a question to the user. */
export const MAX_MEMORY_CHARACTERS = 300;

/** One remembered line. */
export interface Memory {
  readonly id: number;
  readonly text: string;
  /** User who wrote it, or for whom a model wrote it. */
  readonly authorId: number;
  /** A model wrote it after it had read text of others, so it may contain their instructions. */
  readonly hasForeignText: boolean;
  /** Telegram message that it comes from; undefined if it is not known. */
  readonly source: MemorySource | undefined;
  readonly createdAt: Date;
  /** Equal to `createdAt` if it was never changed. */
  readonly updatedAt: Date;
}

export interface MemorySource {
  readonly chatId: number;
  readonly telegramMessageId: number;
}

/** Text of a memory with its origin. The text must not be empty, nor longer than `MAX_MEMORY_CHARACTERS` as one line. */
export type WrittenMemory = Pick<Memory, 'text' | 'authorId' | 'source'> & Partial<Pick<Memory, 'hasForeignText'>>;

/** Memories of users and groups, which are used in conversations of their owner only. */
export type Memories = ReturnType<typeof createMemories>;

/** Maximum number of memories of an owner. */
export const MAX_MEMORIES = 200;

export function createMemories({ db, clock }: { readonly db: Database; readonly clock: Clock }) {
  const isThat = (owner: ChatOwner, memoryId: number) => and(isOwn(memories, owner), eq(memories.id, memoryId));
  const hasText = (owner: ChatOwner, text: string) => and(isOwn(memories, owner), eq(memories.digest, toDigest(text)));
  const findOne = async (tx: Database, condition: SQL | undefined) => {
    const [row] = await tx.select().from(memories).where(condition);
    return row && toMemory(row);
  };
  /** Lists the memories of an owner, oldest first. */
  const list = async (owner: ChatOwner): Promise<readonly Memory[]> => {
    const rows = await db.select().from(memories).where(isOwn(memories, owner)).orderBy(asc(memories.id));
    return rows.map(toMemory);
  };

  return {
    list,
    /** Lists the memories for use in an answer: none if the owner has switched memory off. */
    listInUse: async (owner: ChatOwner): Promise<readonly Memory[]> =>
      (await isSwitchedOn(db, owner)) ? list(owner) : [],
    find: (owner: ChatOwner, memoryId: number): Promise<Memory | undefined> => findOne(db, isThat(owner, memoryId)),
    /** Returns the memory with this text, ignoring case and the last punctuation. */
    findByText: (owner: ChatOwner, text: string): Promise<Memory | undefined> => findOne(db, hasText(owner, text)),
    /**
     * Adds a memory.
     * @returns `known` if the owner has one with this text, `full` if they have the maximum number, `off` if they have
     * switched memory off.
     */
    add: (owner: ChatOwner, written: WrittenMemory): Promise<Memory | 'known' | 'full' | 'off'> =>
      db.transaction(async (tx) => {
        // The lock serialises concurrent calls, so that the count stays correct, and waits for a switch or a removal.
        if (!(await isSwitchedOn(tx, owner, 'locked'))) return 'off';
        if (await findOne(tx, hasText(owner, written.text))) return 'known';
        if ((await tx.$count(memories, isOwn(memories, owner))) >= MAX_MEMORIES) return 'full';
        const now = new Date(clock.now());
        const [row] = await tx
          .insert(memories)
          .values({ ...owner, ...toColumns(written), createdAt: now, updatedAt: now })
          .returning();
        if (!row) throw new Error('A memory was not stored');
        return toMemory(row);
      }),
    /**
     * Replaces the text of a memory, together with author and source.
     * @returns `gone` if the owner has no such memory, `known` if they have another one with this text.
     */
    change: (owner: ChatOwner, memoryId: number, written: WrittenMemory): Promise<Memory | 'gone' | 'known'> =>
      db.transaction(async (tx) => {
        // Only for the lock: a memory can be changed although no new one is stored.
        await isSwitchedOn(tx, owner, 'locked');
        if (await findOne(tx, and(hasText(owner, written.text), ne(memories.id, memoryId)))) return 'known';
        const [row] = await tx
          .update(memories)
          .set({ ...toColumns(written), updatedAt: new Date(clock.now()) })
          .where(isThat(owner, memoryId))
          .returning();
        return row ? toMemory(row) : 'gone';
      }),
    /** Deletes a memory. @returns false if the owner has no such memory. */
    async remove(owner: ChatOwner, memoryId: number): Promise<boolean> {
      const removed = await db.delete(memories).where(isThat(owner, memoryId)).returning({ id: memories.id });
      return removed.length > 0;
    },
    /** Deletes all memories of an owner. @returns their number. */
    async removeAll(owner: ChatOwner): Promise<number> {
      const removed = await db.delete(memories).where(isOwn(memories, owner)).returning({ id: memories.id });
      return removed.length;
    },
  };
}

/**
 * Returns whether the owner has memory switched on: users by default, groups once an admin has done it.
 * @param lock locks the owner's row until the transaction ends.
 */
async function isSwitchedOn(db: Database, owner: ChatOwner, lock?: 'locked'): Promise<boolean> {
  const query =
    'userId' in owner
      ? db
          .select({ isOn: sql<boolean>`coalesce(${users.settings} ->> 'hasMemory', 'true') = 'true'` })
          .from(users)
          .where(eq(users.id, owner.userId))
      : db
          .select({ isOn: sql<boolean>`coalesce(${groups.settings} ->> 'hasMemory', 'false') = 'true'` })
          .from(groups)
          .where(eq(groups.chatId, owner.groupId));
  const [row] = await (lock ? query.for('update') : query);
  return row?.isOn ?? false;
}

function toColumns({ text, authorId, hasForeignText = false, source }: WrittenMemory) {
  return {
    content: toMemoryText(text),
    digest: toDigest(text),
    authorId,
    hasForeignText,
    sourceChatId: source?.chatId ?? null,
    sourceMessageId: source?.telegramMessageId ?? null,
  };
}

function toMemory({
  id,
  content,
  authorId,
  hasForeignText,
  sourceChatId,
  sourceMessageId,
  createdAt,
  updatedAt,
}: typeof memories.$inferSelect): Memory {
  const source =
    sourceChatId === null || sourceMessageId === null
      ? undefined
      : { chatId: sourceChatId, telegramMessageId: sourceMessageId };
  return { id, text: content, authorId, hasForeignText, source, createdAt, updatedAt };
}

/** Moves the memories of a group that has become a supergroup whose settings exist already. */
export async function moveMemories(tx: Database, fromGroupId: number, toGroupId: number): Promise<void> {
  const isMoved = eq(memories.groupId, fromGroupId);
  const known = tx.select({ digest: memories.digest }).from(memories).where(eq(memories.groupId, toGroupId));
  await tx.delete(memories).where(and(isMoved, inArray(memories.digest, known)));
  await tx.update(memories).set({ groupId: toGroupId }).where(isMoved);
}

/** Returns a text as one line that can be stored: without line breaks and control characters. */
export function toMemoryText(text: string): string {
  return toOneLine(toStorableText(text).normalize('NFC'));
}

/** Returns a hash that is equal for texts that differ only in case, in forms of characters and in their last punctuation. */
function toDigest(text: string): string {
  const comparable = trimPunctuation(toMemoryText(text).normalize('NFKC').toLowerCase());
  return createHash('sha256').update(comparable).digest('base64url');
}

/** Returns the text without punctuation at its end; a text of punctuation alone stays as it is. */
function trimPunctuation(text: string): string {
  let end = text.length;
  while (end > 0 && /[\s.,;:!?…]/.test(text.charAt(end - 1))) end -= 1;
  return end === 0 ? text : text.slice(0, end);
}
