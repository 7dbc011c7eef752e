import { randomBytes } from 'node:crypto';
import { and, asc, countDistinct, eq, isNotNull, isNull, lt, min, ne, not, or, type SQL, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import { toBigintArray } from '../../database/bigint-array.ts';
import type { Database } from '../../database/connect.ts';
import { updateLanes, updates, updateWorkers } from '../../database/schema/index.ts';
import { toStorableJson, toStorableText } from '../../database/storable.ts';

/** An update as it arrived. */
export interface IncomingUpdate {
  /** Telegram's `update_id`. */
  readonly id: number;
  /** Updates of one lane (a chat, say) are handled one after the other, in the order of their ids. */
  readonly lane: number;
  /** The message that it brings, where it brings one: then its chat is the lane. */
  readonly messageId?: number | undefined;
  /** Whatever JSON can hold. */
  readonly payload: unknown;
}

/** An update that waits to be handled. */
export interface StoredUpdate {
  readonly id: number;
  readonly payload: unknown;
}

/** How many updates wait: in all, and by lane. */
export interface WaitingCounts {
  readonly total: number;
  readonly byLane: ReadonlyMap<number, number>;
}

/** A lane whose process is dead. */
export interface DeadLane {
  readonly lane: number;
  /** Of the dead process. */
  readonly workerId: string;
}

/** The tables behind the inbox of one bot: updates, and which process works on which lane. */
export interface UpdateStore {
  countWaiting(): Promise<WaitingCounts>;
  /** Keeps updates in one statement; those that are known, handled ones too, are left as they are. */
  add(incoming: readonly IncomingUpdate[]): Promise<void>;
  /** Adds an update of several pages and takes it back in the same transaction. */
  tryToAdd(): Promise<void>;
  /** The first updates of a lane that wait, in order; those behind `afterId` where it is given. */
  readLane(lane: number, limit: number, afterId?: number): Promise<readonly StoredUpdate[]>;
  /** The first updates of several lanes, as `readLane` gives them. */
  readLanes(lanes: readonly number[], limit: number): Promise<readonly (readonly StoredUpdate[])[]>;
  markHandled(ids: readonly number[]): Promise<void>;
  /** Counts a try that has failed. @returns whether that was the last one: the update is set aside and waits no more. */
  countTry(id: number, error: string, maxTries: number): Promise<boolean>;
  /**
   * Counts a try before it begins: it is one more where the process dies of it.
   * @returns false where it has died of it so often that it is set aside now.
   */
  beginAgain(id: number, maxTries: number): Promise<boolean>;
  /** Makes the process count as alive for so long from now. */
  beat(workerId: string, leaseMs: number): Promise<void>;
  /** Takes lanes that nobody has. @returns those of them that the process has now: a claim may be repeated where its answer was lost. */
  claim(workerId: string, lanes: readonly number[]): Promise<readonly number[]>;
  /**
   * Takes a lane from a process that is dead. May be repeated where its answer was lost.
   * @returns false where somebody else was first, or it is not dead.
   */
  takeOver(workerId: string, dead: DeadLane): Promise<boolean>;
  release(workerId: string, lanes: readonly number[]): Promise<void>;
  /** Lanes where something waits that nobody has or this process has, the oldest first; at most `limit`. */
  listWaitingLanes(workerId: string, limit: number): Promise<readonly number[]>;
  /** Lanes of dead processes; at most `limit`. */
  listDeadLanes(limit: number): Promise<readonly DeadLane[]>;
  listOwnLanes(workerId: string): Promise<readonly number[]>;
  /** Living processes other than this one that have a lane of this bot. */
  countOthersAtWork(workerId: string): Promise<number>;
  /** The process works no more: its lanes are free, and none tells of a crash, except for those where it has left something. */
  leave(workerId: string, leftLanes: ReadonlySet<number>): Promise<void>;
  /** Nobody else can be alive: the database belongs to this process alone. */
  buryOthers(workerId: string): Promise<void>;
  /** Forgets handled updates and those set aside that are older than so long. */
  sweep(ages: { readonly handledMs: number; readonly restMs: number }): Promise<void>;
}

export function createUpdateStore({ db, botId }: { readonly db: Database; readonly botId: number }): UpdateStore {
  const isWaiting = and(eq(updates.botId, botId), isNull(updates.handledAt), isNull(updates.setAsideAt));
  const isOwner = (workerId: string) => and(eq(updateLanes.botId, botId), eq(updateLanes.workerId, workerId));
  const isAlive = and(eq(updateWorkers.id, updateLanes.workerId), sql`${updateWorkers.aliveUntil} > now()`);
  const isDead = sql`not exists (${db.select({ id: updateWorkers.id }).from(updateWorkers).where(isAlive)})`;

  const insert = async (database: Database, incoming: readonly IncomingUpdate[]) => {
    // One parameter for any number of updates: the text of the statement stays the same. The server casts it, so that both drivers store alike.
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
      // Everybody inserts in the same order, so nobody waits in a circle.
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
      // Where two come at once, the second one's look at the workers is not repeated after the first one's write, but its look at
      // the lane is: so the lane has to say whose it was.
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

/** Telegram's ids are positive. */
const TRIAL_ID = -1;
const TRIAL_BYTES = 64 * 1024;
const MAX_ERROR_CHARACTERS = 2000;

/** The database's clock counts: those of several machines differ. */
function inMs(ms: number): SQL {
  return sql`now() + make_interval(secs => ${ms / 1000}::double precision)`;
}

/** As `inArray`, with one parameter for all: the statement is the same for any number of them. */
function isOneOf(column: PgColumn, numbers: readonly number[]): SQL {
  return sql`${column} = any(${toBigintArray(numbers)})`;
}
