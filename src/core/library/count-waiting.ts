import { and, count, eq, isNotNull } from 'drizzle-orm';
import type { Database } from '../../database/connect.ts';
import { conversations, fileTexts, libraryChanges, messages } from '../../database/schema/index.ts';
import type { ChatOwner } from '../conversations/index.ts';
import { isIn } from './find-entries.ts';

/** Texts that an owner's library does not find yet. */
export interface WaitingTexts {
  /** Texts that are not indexed yet, at most `MAX_WAITING_COUNTED`. */
  readonly textCount: number;
  /** Stored files whose text is not read yet. */
  readonly fileCount: number;
}

/** More texts are not counted. */
export const MAX_WAITING_COUNTED = 1000;

/** Counts the texts that are not indexed or read yet, of all owners. */
export async function countWaiting(db: Database): Promise<number> {
  return (await db.$count(libraryChanges)) + (await db.$count(fileTexts, isNotNull(fileTexts.dueAt)));
}

/** Counts what waits of one owner. */
export async function countWaitingOf(db: Database, owner: ChatOwner): Promise<WaitingTexts> {
  const textCount = await countTexts(db, owner);
  if (!('userId' in owner)) return { textCount, fileCount: 0 };
  const isUnread = and(eq(fileTexts.userId, owner.userId), isNotNull(fileTexts.dueAt));
  return { textCount, fileCount: await db.$count(fileTexts, isUnread) };
}

async function countTexts(db: Database, owner: ChatOwner): Promise<number> {
  const waiting = db
    .select({ id: libraryChanges.id })
    .from(conversations)
    .innerJoin(messages, eq(messages.conversationId, conversations.id))
    .innerJoin(libraryChanges, eq(libraryChanges.messageId, messages.id))
    .where(isIn(owner))
    .limit(MAX_WAITING_COUNTED)
    .as('waiting');
  const [row] = await db.select({ count: count() }).from(waiting);
  return row?.count ?? 0;
}
