import { randomBytes } from 'node:crypto';
import { and, asc, countDistinct, eq, isNotNull, isNull, lt, min, ne, not, or, type SQL, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import { toBigintArray } from '../../database/bigint-array.ts';
import type { Database } from '../../database/connect.ts';
import { updateLanes, updates, updateWorkers } from '../../database/schema/index.ts';
import { toStorableJson, toStorableText } from '../../database/storable.ts';

export interface IncomingUpdate {
  /** Telegram's `update_id`. */
  readonly id: number;
  /**
   * Key of the chat queue, e.g. a chat id. Updates of one queue are handled one after the other, in the order of their
   * ids.
   */
  readonly lane: number;
  /** Id of the message in the update, if there is one; then `lane` is its chat. */
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
  readonly byLane: ReadonlyMap<number, number>;
}

/** A chat queue whose worker is dead. */
export interface DeadLane {
  readonly lane: number;
  /** Id of the dead worker. */
  readonly workerId: string;
}

/** Tables of one bot's inbox: updates, and which worker owns which chat queue. */
export interface UpdateStore {
  countWaiting(): Promise<WaitingCounts>;
  /** Inserts updates by one statement. Known ones, handled ones included, are left unchanged. */
  add(incoming: readonly IncomingUpdate[]): Promise<void>;
  /** Inserts an update of 64 KiB, several pages in Postgres, and rolls it back. */
  tryToAdd(): Promise<void>;
  /** Returns the first waiting updates of a chat queue in order, after `afterId` if given. */
  readLane(lane: number, limit: number, afterId?: number): Promise<readonly StoredUpdate[]>;
  /** Same as `readLane` for several chat queues. */
  readLanes(lanes: readonly number[], limit: number): Promise<readonly (readonly StoredUpdate[])[]>;
  markHandled(ids: readonly number[]): Promise<void>;
  /**
   * Counts a failed attempt.
   * @returns whether it was the last one: the update is set aside.
   */
  countTry(id: number, error: string, maxTries: number): Promise<boolean>;
  /**
   * Counts an attempt before it starts, so that it is counted even if the process crashes during it.
   * @returns false if the maximum was reached: the update is set aside.
   */
  beginAgain(id: number, maxTries: number): Promise<boolean>;
  /** Renews the worker's lease: `leaseMs` from now. */
  beat(workerId: string, leaseMs: number): Promise<void>;
  /**
   * Claims chat queues without an owner. May be repeated if the response was lost.
   * @returns those of the queues that the worker owns now.
   */
  claim(workerId: string, lanes: readonly number[]): Promise<readonly number[]>;
  /**
   * Takes over a chat queue from a dead worker. May be repeated if the response was lost.
   * @returns false if another worker was first, or the worker is alive.
   */
  takeOver(workerId: string, dead: DeadLane): Promise<boolean>;
  release(workerId: string, lanes: readonly number[]): Promise<void>;
  /**
   * Lists chat queues with waiting updates that have no owner or belong to this worker, the oldest update first; at
   * most `limit`.
   */
  listWaitingLanes(workerId: string, limit: number): Promise<readonly number[]>;
  /** Lists chat queues of dead workers, at most `limit`. */
  listDeadLanes(limit: number): Promise<readonly DeadLane[]>;
  listOwnLanes(workerId: string): Promise<readonly number[]>;
  /** Counts other live workers that own chat queues of this bot. */
  countOthersAtWork(workerId: string): Promise<number>;
  /**
   * Removes the worker and releases its chat queues, except `leftLanes`: these stay with the removed worker, so that
   * another one takes them over and recovers them.
   */
  leave(workerId: string, leftLanes: ReadonlySet<number>): Promise<void>;
  /** Removes all other workers. For a database that belongs to this process alone. */
  buryOthers(workerId: string): Promise<void>;
  /** Deletes handled updates older than `handledMs` and all updates older than `restMs`. */
  sweep(ages: { readonly handledMs: number; readonly restMs: number }): Promise<void>;
}

export function createUpdateStore({ db, botId }: { readonly db: Database; readonly botId: number }): UpdateStore {
  const isWaiting = and(eq(updates.botId, botId), isNull(updates.handledAt), isNull(updates.setAsideAt));
  const isOwner = (workerId: string) => and(eq(updateLanes.botId, botId), eq(updateLanes.workerId, workerId));
  const isAlive = and(eq(updateWorkers.id, updateLanes.workerId), sql`${updateWorkers.aliveUntil} > now()`);
  const isDead = sql`not exists (${db.select({ id: updateWorkers.id }).from(updateWorkers).where(isAlive)})`;

  const insert = async (database: Database, incoming: readonly IncomingUpdate[]) => {
    // One parameter for any number of updates keeps the text of the statement constant. The cast on the server makes
    // both drivers store the same value.
    const arrived = sql`jsonb_to_recordset(${toStorableJson(incoming)}::jsonb) as arrived (id bigint, lane bigint, "messageId" bigint, payload jsonb)`;
    await database.execute(sql`
      insert into ${updates} (bot_id, update_id, lane, message_id, payload)
      select ${botId}::bigint, id, lane, "messageId", payload from ${arrived}
      on conflict do nothing`);
  };
  return {
    async countWaiting() {
      const rows = await db
        .select({ lane: updates.lane, count: sql<number>`count(*)`.mapWith(Number) })
        .from(updates)
        .where(isWaiting)
        .groupBy(updates.lane);
      const total = rows.reduce((sum, row) => sum + row.count, 0);
      return { total, byLane: new Map(rows.map(({ lane, count }) => [lane, count])) };
    },
    async add(incoming) {
      if (incoming.length > 0) await insert(db, incoming);
    },
    async tryToAdd() {
      const payload = randomBytes(TRIAL_BYTES / 2).toString('hex');
      const undone = new Error('The trial is over');
      await db
        .transaction(async (tx) => {
          await insert(tx, [{ id: TRIAL_ID, lane: 0, payload }]);
          throw undone;
        })
        .catch((error: unknown) => {
          if (error !== undone) throw error;
        });
    },
    async readLane(lane, limit, afterId) {
      return db
        .select({ id: updates.updateId, payload: updates.payload })
        .from(updates)
        .where(
          and(
            isWaiting,
            eq(updates.lane, lane),
            afterId === undefined ? undefined : sql`${updates.updateId} > ${afterId}`,
          ),
        )
        .orderBy(asc(updates.updateId))
        .limit(limit);
    },
    async readLanes(lanes, limit) {
      const first = db
        .select({ id: updates.updateId, payload: updates.payload })
        .from(updates)
        .where(and(isWaiting, sql`${updates.lane} = asked.lane`))
        .orderBy(asc(updates.updateId))
        .limit(limit)
        .as('first');
      const rows = await db
        .select({ lane: sql`asked.lane`.mapWith(Number), id: first.id, payload: first.payload })
        .from(sql`unnest(${toBigintArray(lanes)}) as asked (lane)`)
        .crossJoinLateral(first)
        .orderBy(asc(first.id));
      const byLane = Map.groupBy(rows, ({ lane }) => lane);
      return lanes.map((lane) => byLane.get(lane) ?? []);
    },
    async markHandled(ids) {
      await db
        .update(updates)
        .set({ handledAt: sql`now()`, payload: null })
        .where(and(eq(updates.botId, botId), isOneOf(updates.updateId, ids)));
    },
    async countTry(id, error, maxTries) {
      const [row] = await db
        .update(updates)
        .set({
          tries: sql`${updates.tries} + 1`,
          lastError: toStorableText(error).slice(0, MAX_ERROR_CHARACTERS),
          setAsideAt: sql`case when ${updates.tries} + 1 >= ${maxTries} then now() end`,
        })
        .where(and(isWaiting, eq(updates.updateId, id)))
        .returning({ setAsideAt: updates.setAsideAt });
      return row !== undefined && row.setAsideAt !== null;
    },
    async beginAgain(id, maxTries) {
      const mayBegin = sql`${updates.tries} < ${maxTries}`;
      const [row] = await db
        .update(updates)
        .set({
          tries: sql`least(${updates.tries} + 1, ${maxTries})`,
          lastError: sql`case when ${mayBegin} then ${updates.lastError} else 'the process ended while it was handled' end`,
          setAsideAt: sql`case when ${mayBegin} then null else now() end`,
        })
        .where(and(isWaiting, eq(updates.updateId, id)))
        .returning({ setAsideAt: updates.setAsideAt });
      return row !== undefined && row.setAsideAt === null;
    },
    async beat(workerId, leaseMs) {
      const aliveUntil = inMs(leaseMs);
      await db
        .insert(updateWorkers)
        .values({ id: workerId, aliveUntil })
        .onConflictDoUpdate({ target: updateWorkers.id, set: { aliveUntil } });
    },
    async claim(workerId, lanes) {
      // All workers insert in the same order, which avoids deadlocks.
      const rows = lanes.toSorted((a, b) => a - b).map((lane) => ({ botId, lane, workerId }));
      const taken = await db
        .insert(updateLanes)
        .values(rows)
        .onConflictDoNothing()
        .returning({ lane: updateLanes.lane });
      const own =
        taken.length === lanes.length
          ? taken
          : await db
              .select({ lane: updateLanes.lane })
              .from(updateLanes)
              .where(and(isOwner(workerId), isOneOf(updateLanes.lane, lanes)));
      return own.map(({ lane }) => lane);
    },
    async takeOver(workerId, { lane, workerId: deadId }) {
      // If two workers take over concurrently, Postgres re-evaluates the condition on the updated row for the second
      // one, but not the subquery on workers. So the row itself must still name the dead worker.
      const taken = await db
        .update(updateLanes)
        .set({ workerId })
        .where(and(eq(updateLanes.lane, lane), or(and(isOwner(deadId), isDead), isOwner(workerId))))
        .returning({ lane: updateLanes.lane });
      return taken.length > 0;
    },
    async release(workerId, lanes) {
      await db.delete(updateLanes).where(and(isOwner(workerId), isOneOf(updateLanes.lane, lanes)));
    },
    async listWaitingLanes(workerId, limit) {
      const rows = await db
        .select({ lane: updates.lane })
        .from(updates)
        .leftJoin(updateLanes, and(eq(updateLanes.botId, updates.botId), eq(updateLanes.lane, updates.lane)))
        .where(and(isWaiting, or(isNull(updateLanes.workerId), eq(updateLanes.workerId, workerId))))
        .groupBy(updates.lane)
        .orderBy(min(updates.updateId))
        .limit(limit);
      return rows.map(({ lane }) => lane);
    },
    async listDeadLanes(limit) {
      return db
        .select({ lane: updateLanes.lane, workerId: updateLanes.workerId })
        .from(updateLanes)
        .where(and(eq(updateLanes.botId, botId), isDead))
        .orderBy(asc(updateLanes.lane))
        .limit(limit);
    },
    async listOwnLanes(workerId) {
      const rows = await db.select({ lane: updateLanes.lane }).from(updateLanes).where(isOwner(workerId));
      return rows.map(({ lane }) => lane);
    },
    async countOthersAtWork(workerId) {
      const [row] = await db
        .select({ count: countDistinct(updateLanes.workerId) })
        .from(updateLanes)
        .innerJoin(updateWorkers, isAlive)
        .where(and(eq(updateLanes.botId, botId), ne(updateLanes.workerId, workerId)));
      return row?.count ?? 0;
    },
    async leave(workerId, leftLanes) {
      const isLeft = isOneOf(updateLanes.lane, [...leftLanes]);
      await db.delete(updateLanes).where(and(isOwner(workerId), not(isLeft)));
      await db.delete(updateWorkers).where(eq(updateWorkers.id, workerId));
    },
    async buryOthers(workerId) {
      await db.delete(updateWorkers).where(sql`${updateWorkers.id} <> ${workerId}`);
    },
    async sweep({ handledMs, restMs }) {
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

/** The database's clock is used because clocks of several machines differ. */
function inMs(ms: number): SQL {
  return sql`now() + make_interval(secs => ${ms / 1000}::double precision)`;
}

/** Same as `inArray` with a single parameter: the statement is the same for any number of values. */
function isOneOf(column: PgColumn, numbers: readonly number[]): SQL {
  return sql`${column} = any(${toBigintArray(numbers)})`;
}
