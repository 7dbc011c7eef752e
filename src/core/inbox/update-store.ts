import { randomBytes } from 'node:crypto';
import {
  and,
  asc,
  countDistinct,
  eq,
  exists,
  isNotNull,
  isNull,
  lt,
  min,
  ne,
  not,
  or,
  type SQL,
  sql,
} from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import type { Database } from '../../database/connect.ts';
import { inMs, toBigintArray } from '../../database/expressions.ts';
import { chatQueueOwners, updates, updateWorkers } from '../../database/schema/index.ts';
import { toStorableJson, toStorableText } from '../../database/storable.ts';

export interface IncomingUpdate {
  /** Telegram's `update_id`. */
  readonly id: number;
  /**
   * Key of the chat queue, e.g. a chat id. Updates of one queue are handled one after the other, in the order of their
   * ids.
   */
  readonly chatQueue: number;
  /** Id of the message in the update, if there is one; then `chatQueue` is its chat. */
  readonly messageId?: number | undefined;
  /** Any JSON value. */
  readonly payload: unknown;
}

/** A waiting update. */
export interface StoredUpdate {
  readonly id: number;
  readonly payload: unknown;
}

/** Numbers of waiting updates, in all and by chat queue. */
export interface WaitingCounts {
  readonly total: number;
  readonly byChatQueue: ReadonlyMap<number, number>;
}

/** A chat queue whose worker is dead. */
export interface StalledChatQueue {
  readonly chatQueue: number;
  /** Id of the dead worker. */
  readonly workerId: string;
}

/** A chat queue that a worker has claimed or taken over. */
export interface ClaimedChatQueue {
  readonly chatQueue: number;
  /** Differs each time that a worker claims the chat queue. */
  readonly claimId: number;
}

/** The transaction that has written the row of an owner. */
const claimId = sql`${chatQueueOwners}.xmin::text::bigint`.mapWith(Number);
const claimedChatQueue = { chatQueue: chatQueueOwners.chatQueue, claimId };

/** Tables of one bot's inbox: updates, and which worker owns which chat queue. */
export type UpdateStore = ReturnType<typeof createUpdateStore>;

export function createUpdateStore({ db, botId }: { readonly db: Database; readonly botId: number }) {
  const isWaiting = and(eq(updates.botId, botId), isNull(updates.handledAt), isNull(updates.failedAt));
  const isOwner = (workerId: string) => and(eq(chatQueueOwners.botId, botId), eq(chatQueueOwners.workerId, workerId));
  const isAlive = and(eq(updateWorkers.id, chatQueueOwners.workerId), sql`${updateWorkers.aliveUntil} > now()`);
  const isDead = sql`not exists (${db.select({ id: updateWorkers.id }).from(updateWorkers).where(isAlive)})`;
  /** Condition for the updates of the worker's chat queues. */
  const isOwned = (workerId: string) => {
    const isOfQueue = and(isOwner(workerId), eq(chatQueueOwners.chatQueue, updates.chatQueue));
    return exists(db.select({ chatQueue: chatQueueOwners.chatQueue }).from(chatQueueOwners).where(isOfQueue));
  };

  const insert = async (database: Database, incoming: readonly IncomingUpdate[]) => {
    // One parameter for any number of updates keeps the text of the statement constant. The cast on the server makes
    // both drivers store the same value.
    const arrived = sql`jsonb_to_recordset(${toStorableJson(incoming)}::jsonb) as arrived (id bigint, "chatQueue" bigint, "messageId" bigint, payload jsonb)`;
    await database.execute(sql`
      insert into ${updates} (bot_id, update_id, chat_queue, message_id, payload)
      select ${botId}::bigint, id, "chatQueue", "messageId", payload from ${arrived}
      on conflict do nothing`);
  };
  return {
    async countWaiting(): Promise<WaitingCounts> {
      const rows = await db
        .select({ chatQueue: updates.chatQueue, count: sql<number>`count(*)`.mapWith(Number) })
        .from(updates)
        .where(isWaiting)
        .groupBy(updates.chatQueue);
      const total = rows.reduce((sum, row) => sum + row.count, 0);
      return { total, byChatQueue: new Map(rows.map(({ chatQueue, count }) => [chatQueue, count])) };
    },
    /** Inserts updates by one statement. Known ones, handled ones included, are left unchanged. */
    async add(incoming: readonly IncomingUpdate[]): Promise<void> {
      if (incoming.length > 0) await insert(db, incoming);
    },
    /** Inserts an update of 64 KiB, several pages in Postgres, and rolls it back. */
    async tryToAdd(): Promise<void> {
      const payload = randomBytes(TRIAL_BYTES / 2).toString('hex');
      const undone = new Error('The trial is over');
      await db
        .transaction(async (tx) => {
          await insert(tx, [{ id: TRIAL_ID, chatQueue: 0, payload }]);
          throw undone;
        })
        .catch((error: unknown) => {
          if (error !== undone) throw error;
        });
    },
    /** Returns the first waiting updates of a chat queue in order, after `afterId` if given. */
    async readChatQueue(chatQueue: number, limit: number, afterId?: number): Promise<readonly StoredUpdate[]> {
      return db
        .select({ id: updates.updateId, payload: updates.payload })
        .from(updates)
        .where(
          and(
            isWaiting,
            eq(updates.chatQueue, chatQueue),
            afterId === undefined ? undefined : sql`${updates.updateId} > ${afterId}`,
          ),
        )
        .orderBy(asc(updates.updateId))
        .limit(limit);
    },
    /** Same as `readChatQueue` for several chat queues. */
    async readChatQueues(chatQueues: readonly number[], limit: number): Promise<readonly (readonly StoredUpdate[])[]> {
      const first = db
        .select({ id: updates.updateId, payload: updates.payload })
        .from(updates)
        .where(and(isWaiting, sql`${updates.chatQueue} = asked.chat_queue`))
        .orderBy(asc(updates.updateId))
        .limit(limit)
        .as('first');
      const rows = await db
        .select({ chatQueue: sql`asked.chat_queue`.mapWith(Number), id: first.id, payload: first.payload })
        .from(sql`unnest(${toBigintArray(chatQueues)}) as asked (chat_queue)`)
        .crossJoinLateral(first)
        .orderBy(asc(first.id));
      const byChatQueue = Map.groupBy(rows, ({ chatQueue }) => chatQueue);
      return chatQueues.map((chatQueue) => byChatQueue.get(chatQueue) ?? []);
    },
    /** Marks the updates of the worker's chat queues as handled. @returns the ids of those. */
    async markHandled(workerId: string, ids: readonly number[]): Promise<ReadonlySet<number>> {
      const marked = await db
        .update(updates)
        .set({ handledAt: sql`now()`, payload: null })
        .where(and(eq(updates.botId, botId), isOneOf(updates.updateId, ids), isOwned(workerId)))
        .returning({ id: updates.updateId });
      return new Set(marked.map(({ id }) => id));
    },
    /**
     * Counts a failed attempt, except in a chat queue that another worker has taken over.
     * @returns whether it was the last one, so that the update is set aside; undefined if it was not counted.
     */
    async countTry(workerId: string, id: number, error: string, maxTries: number): Promise<boolean | undefined> {
      const [row] = await db
        .update(updates)
        .set({
          attempts: sql`${updates.attempts} + 1`,
          lastError: toStorableText(error).slice(0, MAX_ERROR_CHARACTERS),
          failedAt: sql`case when ${updates.attempts} + 1 >= ${maxTries} then now() end`,
        })
        .where(and(isWaiting, eq(updates.updateId, id), isOwned(workerId)))
        .returning({ failedAt: updates.failedAt });
      return row && row.failedAt !== null;
    },
    /**
     * Counts an attempt before it starts, so that it is counted even if the process crashes during it; not in a chat queue
     * that another worker has taken over.
     * @returns false if the maximum was reached, so that the update is set aside; undefined if it was not counted.
     */
    async beginAgain(workerId: string, id: number, maxTries: number): Promise<boolean | undefined> {
      const mayBegin = sql`${updates.attempts} < ${maxTries}`;
      const [row] = await db
        .update(updates)
        .set({
          attempts: sql`least(${updates.attempts} + 1, ${maxTries})`,
          lastError: sql`case when ${mayBegin} then ${updates.lastError} else 'the process ended while it was handled' end`,
          failedAt: sql`case when ${mayBegin} then null else now() end`,
        })
        .where(and(isWaiting, eq(updates.updateId, id), isOwned(workerId)))
        .returning({ failedAt: updates.failedAt });
      return row && row.failedAt === null;
    },
    /**
     * Renews the worker's lease: `leaseMs` from now, by the database's clock, as that of a suspended machine may be late.
     * @returns false if it had expired, or is new.
     */
    async renew(workerId: string, leaseMs: number): Promise<boolean> {
      const aliveUntil = inMs(leaseMs);
      const isValid = and(eq(updateWorkers.id, workerId), sql`${updateWorkers.aliveUntil} > now()`);
      // Sees the lease as it was before this statement.
      const wasValid = sql<boolean>`exists (${db.select({ id: updateWorkers.id }).from(updateWorkers).where(isValid)})`;
      const [row] = await db
        .insert(updateWorkers)
        .values({ id: workerId, aliveUntil })
        .onConflictDoUpdate({ target: updateWorkers.id, set: { aliveUntil } })
        .returning({ wasValid });
      return row?.wasValid ?? false;
    },
    /**
     * Claims chat queues without an owner. May be repeated if the response was lost.
     * @returns those of the queues that the worker owns now.
     */
    async claim(workerId: string, chatQueues: readonly number[]): Promise<readonly ClaimedChatQueue[]> {
      // All workers insert in the same order, which avoids deadlocks.
      const rows = chatQueues.toSorted((a, b) => a - b).map((chatQueue) => ({ botId, chatQueue, workerId }));
      const taken = await db.insert(chatQueueOwners).values(rows).onConflictDoNothing().returning(claimedChatQueue);
      if (taken.length === chatQueues.length) return taken;
      // Written again for a new claim id: a release whose response was lost may still come.
      return db
        .update(chatQueueOwners)
        .set({ workerId })
        .where(and(isOwner(workerId), isOneOf(chatQueueOwners.chatQueue, chatQueues)))
        .returning(claimedChatQueue);
    },
    /**
     * Takes over a chat queue from a dead worker.
     * @param isRepeated the response to an earlier attempt was lost: waits for its transaction, which may still commit.
     * @returns the claim id; undefined if another worker was first, the worker is alive, or one of its transactions has
     * not ended yet.
     */
    async takeOver(
      workerId: string,
      { chatQueue, workerId: deadId }: StalledChatQueue,
      isRepeated: boolean,
    ): Promise<number | undefined> {
      const isMeant = and(eq(chatQueueOwners.chatQueue, chatQueue), or(isOwner(deadId), isOwner(workerId)));
      return db.transaction(async (tx) => {
        // A worker that is suspended in a transaction must not delay the takeover of other queues.
        const [held] = await tx
          .select({ workerId: chatQueueOwners.workerId, claimId })
          .from(chatQueueOwners)
          .where(isMeant)
          .for('update', isRepeated ? {} : { skipLocked: true });
        if (!held || held.workerId === workerId) return held?.claimId;
        // The lock keeps the worker from renewing its lease before it can see that it has lost the queue.
        const [dead] = await tx
          .select({ isAlive: sql<boolean>`${updateWorkers.aliveUntil} > now()` })
          .from(updateWorkers)
          .where(eq(updateWorkers.id, deadId))
          .for('share');
        if (dead?.isAlive) return undefined;
        const [taken] = await tx.update(chatQueueOwners).set({ workerId }).where(isMeant).returning({ claimId });
        return taken?.claimId;
      });
    },
    /** Returns whether the worker owns a chat queue, which no other one can take over until the transaction ends. */
    async isOwn(workerId: string, chatQueue: number, tx = db): Promise<boolean> {
      const own = await tx
        .select({ chatQueue: chatQueueOwners.chatQueue })
        .from(chatQueueOwners)
        .where(and(isOwner(workerId), eq(chatQueueOwners.chatQueue, chatQueue)))
        .for('share');
      return own.length > 0;
    },
    /** Lets any worker claim chat queues, except those that this one has claimed again since. */
    async release(workerId: string, claimed: readonly ClaimedChatQueue[]): Promise<void> {
      const isReleased = isOneOf(
        chatQueueOwners.chatQueue,
        claimed.map(({ chatQueue }) => chatQueue),
      );
      const isSameClaim = isOneOf(
        claimId,
        claimed.map((one) => one.claimId),
      );
      await db.delete(chatQueueOwners).where(and(isOwner(workerId), isReleased, isSameClaim));
    },
    /**
     * Lists chat queues with waiting updates that have no owner or belong to this worker, the oldest update first; at
     * most `limit`.
     */
    async listWaitingChatQueues(workerId: string, limit: number): Promise<readonly number[]> {
      const rows = await db
        .select({ chatQueue: updates.chatQueue })
        .from(updates)
        .leftJoin(
          chatQueueOwners,
          and(eq(chatQueueOwners.botId, updates.botId), eq(chatQueueOwners.chatQueue, updates.chatQueue)),
        )
        .where(and(isWaiting, or(isNull(chatQueueOwners.workerId), eq(chatQueueOwners.workerId, workerId))))
        .groupBy(updates.chatQueue)
        .orderBy(min(updates.updateId))
        .limit(limit);
      return rows.map(({ chatQueue }) => chatQueue);
    },
    /** Lists chat queues of other workers that are dead, at most `limit`. */
    async listStalledChatQueues(workerId: string, limit: number): Promise<readonly StalledChatQueue[]> {
      return db
        .select({ chatQueue: chatQueueOwners.chatQueue, workerId: chatQueueOwners.workerId })
        .from(chatQueueOwners)
        .where(and(eq(chatQueueOwners.botId, botId), ne(chatQueueOwners.workerId, workerId), isDead))
        .orderBy(asc(chatQueueOwners.chatQueue))
        .limit(limit);
    },
    async listOwnChatQueues(workerId: string): Promise<readonly number[]> {
      const rows = await db
        .select({ chatQueue: chatQueueOwners.chatQueue })
        .from(chatQueueOwners)
        .where(isOwner(workerId));
      return rows.map(({ chatQueue }) => chatQueue);
    },
    /** Counts other live workers that own chat queues of this bot. */
    async countOthersAtWork(workerId: string): Promise<number> {
      const [row] = await db
        .select({ count: countDistinct(chatQueueOwners.workerId) })
        .from(chatQueueOwners)
        .innerJoin(updateWorkers, isAlive)
        .where(and(eq(chatQueueOwners.botId, botId), ne(chatQueueOwners.workerId, workerId)));
      return row?.count ?? 0;
    },
    /**
     * Removes the worker and releases its chat queues, except `leftChatQueues`: these stay with the removed worker, so that
     * another one takes them over and recovers them.
     */
    async leave(workerId: string, leftChatQueues: ReadonlySet<number>): Promise<void> {
      const isLeft = isOneOf(chatQueueOwners.chatQueue, [...leftChatQueues]);
      await db.delete(chatQueueOwners).where(and(isOwner(workerId), not(isLeft)));
      await db.delete(updateWorkers).where(eq(updateWorkers.id, workerId));
    },
    /** Removes all other workers. For a database that belongs to this process alone. */
    async takeOverFromOthers(workerId: string): Promise<void> {
      await db.delete(updateWorkers).where(sql`${updateWorkers.id} <> ${workerId}`);
    },
    /** Deletes handled updates older than `handledMs` and all updates older than `restMs`. */
    async sweep({ handledMs, restMs }: { readonly handledMs: number; readonly restMs: number }): Promise<void> {
      const isForgotten = and(isNotNull(updates.handledAt), lt(updates.handledAt, inMs(-handledMs)));
      await db.delete(updates).where(and(lt(updates.receivedAt, inMs(-handledMs)), isForgotten));
      await db.delete(updates).where(lt(updates.receivedAt, inMs(-restMs)));
      await db.delete(updateWorkers).where(lt(updateWorkers.aliveUntil, inMs(-restMs)));
    },
  };
}

/** Telegram's update ids are positive. */
const TRIAL_ID = -1;
const TRIAL_BYTES = 64 * 1024;
const MAX_ERROR_CHARACTERS = 2000;

/** Same as `inArray` with a single parameter: the statement is the same for any number of values. */
function isOneOf(column: PgColumn | SQL, numbers: readonly number[]): SQL {
  return sql`${column} = any(${toBigintArray(numbers)})`;
}

/** Counts the processes that handle updates now, for any bot. */
export function countWorkers(db: Database): Promise<number> {
  return db.$count(updateWorkers, sql`${updateWorkers.aliveUntil} > now()`);
}
