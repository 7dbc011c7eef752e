import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { and, asc, eq, exists, gt, gte, inArray, isNotNull, lt, not, notInArray, or, sql } from 'drizzle-orm';
import type { Database } from '../../database/connect.ts';
import {
  apiKeys,
  conversations,
  files,
  forgottenUsers,
  groupMessages,
  idempotentRequests,
  imageJobs,
  limitCounters,
  memories,
  messages,
  personas,
  responses,
  sessions,
  signInCodes,
  tasks,
  usage,
  users,
} from '../../database/schema/index.ts';
import type { Clock } from '../../lib/clock.ts';
import { deleteConversations } from '../conversations/index.ts';
import { MAX_GROUP_MESSAGE_AGE_MS } from '../groups/index.ts';
import { printScope } from '../limits/index.ts';
import { MAX_RESPONSE_AGE_MS, NO_CHAT } from '../responses/index.ts';

const DAY_MS = 86_400_000;
/** The embedded database runs in this thread: a batch of this size blocks it for some milliseconds. */
const BATCH_ROWS = 500;
/** Usage within this time after a deletion belongs to requests that were in flight. */
const AFTERWARDS_MS = 30 * 60_000;

/**
 * Deletes messages older than the retention, group messages older than a day, stored responses older than 30 days, expired
 * answers of idempotency keys and sessions, names that are not to be stored, and rows of users deleted a day ago.
 */
export async function sweepPersonalData(
  { db, clock }: { readonly db: Database; readonly clock: Clock },
  { retentionDays, storesNames }: { readonly retentionDays: number | undefined; readonly storesNames?: boolean },
  signal: AbortSignal,
): Promise<void> {
  await removeForgotten(db, clock.now());
  if (!storesNames) await removeNames(db);
  await db.delete(groupMessages).where(lt(groupMessages.sentAt, new Date(clock.now() - MAX_GROUP_MESSAGE_AGE_MS)));
  await removeResponses(db, new Date(clock.now() - MAX_RESPONSE_AGE_MS));
  await removeExpiredAnswers(db, signal);
  const now = new Date(clock.now());
  await db.delete(sessions).where(lt(sessions.expiresAt, now));
  await db.delete(signInCodes).where(lt(signInCodes.expiresAt, now));
  if (retentionDays === undefined) return;
  await removeOld(db, new Date(clock.now() - retentionDays * DAY_MS), signal);
}

/** Deletes the names of Telegram that were stored while the operator had them stored. */
async function removeNames(db: Database): Promise<void> {
  await db
    .update(users)
    .set({ name: null, username: null })
    .where(or(isNotNull(users.name), isNotNull(users.username)));
}

/** Deletes stored responses, and the conversations that only they can reach. Messages of chats are kept. */
async function removeResponses(db: Database, before: Date): Promise<void> {
  await db.delete(responses).where(lt(responses.createdAt, before));
  const newer = db
    .select({ id: messages.id })
    .from(messages)
    .where(and(eq(messages.conversationId, conversations.id), gt(messages.createdAt, before)));
  await deleteConversations(db, and(eq(conversations.chatId, NO_CHAT), not(exists(newer))));
}

async function removeExpiredAnswers(db: Database, signal: AbortSignal): Promise<void> {
  const { id, expiresAt } = idempotentRequests;
  // Expiry follows the database's clock, as in `core/idempotency`.
  const expired = db.select({ id }).from(idempotentRequests).where(lt(expiresAt, sql`now()`)).limit(BATCH_ROWS);
  await inBatches(signal, async () => {
    const removed = await db.delete(idempotentRequests).where(inArray(id, expired)).returning({ id });
    return removed.length;
  });
}

/** Repeats `removeBatch` until it returns less than `BATCH_ROWS`. */
async function inBatches(signal: AbortSignal, removeBatch: () => Promise<number>): Promise<void> {
  let count: number;
  do {
    signal.throwIfAborted();
    count = await removeBatch();
    // The embedded database resolves without yielding to the event loop: yield between batches.
    await yieldToEventLoop();
  } while (count === BATCH_ROWS);
}

async function removeOld(db: Database, before: Date, signal: AbortSignal): Promise<void> {
  await inBatches(signal, () => removeOldMessages(db, before));
  await db.delete(imageJobs).where(lt(imageJobs.createdAt, before));
  // Titles are derived from messages that are deleted now.
  const itsMessages = db
    .select({ id: messages.id })
    .from(messages)
    .where(eq(messages.conversationId, conversations.id));
  await db
    .update(conversations)
    .set({ title: null })
    .where(and(lt(conversations.createdAt, before), isNotNull(conversations.title), not(exists(itsMessages))));
  await db
    .delete(conversations)
    .where(and(lt(conversations.createdAt, before), eq(conversations.isCurrent, false), not(exists(itsMessages))));
}

/** Deletes a batch of old messages. Replies to them are kept and become roots. */
function removeOldMessages(db: Database, before: Date): Promise<number> {
  return db.transaction(async (tx) => {
    const rows = await tx
      .select({ id: messages.id })
      .from(messages)
      .where(lt(messages.createdAt, before))
      .orderBy(asc(messages.createdAt))
      .limit(BATCH_ROWS)
      // The lock makes concurrent inserts of replies fail instead of being deleted by the cascade.
      .for('update');
    if (rows.length === 0) return 0;
    const ids = rows.map(({ id }) => id);
    await tx
      .update(messages)
      .set({ parentId: null })
      .where(and(inArray(messages.parentId, ids), notInArray(messages.id, ids)));
    await tx.delete(messages).where(inArray(messages.id, ids));
    return rows.length;
  });
}

/**
 * Deletes user rows a day after `forget`, except users who have used the service again. Those who have spent from a
 * budget stay until the end of the month, so that deleting the account does not reset it.
 */
async function removeForgotten(db: Database, nowMs: number): Promise<void> {
  const month = `${new Date(nowMs).toISOString().slice(0, 7)}-01`;
  const ownCounter = eq(limitCounters.scope, sql`'user:' || ${forgottenUsers.userId}`);
  const spending = db
    .select({ one: sql`1` })
    .from(limitCounters)
    .where(and(ownCounter, gte(limitCounters.month, month), gt(limitCounters.monthUsd, 0)));
  const due = await db
    .select()
    .from(forgottenUsers)
    .where(and(lt(forgottenUsers.forgottenAt, new Date(nowMs - DAY_MS)), not(exists(spending))))
    .limit(BATCH_ROWS);
  for (const { userId, forgottenAt } of due) {
    const isUsedAgain = gt(usage.createdAt, new Date(forgottenAt.getTime() + AFTERWARDS_MS));
    const found = (
      table:
        | typeof conversations
        | typeof apiKeys
        | typeof imageJobs
        | typeof files
        | typeof memories
        | typeof personas
        | typeof tasks,
    ) => exists(db.select({ one: sql`1` }).from(table).where(eq(table.userId, userId)));
    const isBack = or(
      found(conversations),
      found(apiKeys),
      found(imageJobs),
      found(files),
      found(personas),
      found(memories),
      found(tasks),
      exists(
        db
          .select({ one: sql`1` })
          .from(usage)
          .where(and(eq(usage.userId, userId), isUsedAgain)),
      ),
      sql`${users.settings} <> '{}'::jsonb`,
    );
    const removed = await db
      .delete(users)
      .where(and(eq(users.id, userId), sql`not (${isBack})`))
      .returning({ id: users.id });
    if (removed.length > 0)
      await db.delete(limitCounters).where(eq(limitCounters.scope, printScope({ kind: 'user', id: userId })));
    await db.delete(forgottenUsers).where(eq(forgottenUsers.userId, userId));
  }
}
