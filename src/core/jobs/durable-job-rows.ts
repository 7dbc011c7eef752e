import { and, count, eq, inArray, isNotNull, lte, ne, sql } from 'drizzle-orm';
import type { Database } from '../../database/connect.ts';
import { inMs, toBigintArray } from '../../database/expressions.ts';
import { jobs, users } from '../../database/schema/index.ts';
import { type DurableJobKind, type NewDurableJob, TooManyJobsError } from './durable-job.ts';

/** Time after which another process takes over what a dead one has left. */
const LEASE_MS = 20_000;

/** A job as it is stored. */
export type JobRow = typeof jobs.$inferSelect;

/**
 * Rows of durable jobs, as one process reads and changes them. Leases follow the database's clock.
 * @param holder names the process.
 */
export function createDurableJobRows(db: Database, holder: string) {
  const isOwn = (id: number) => and(eq(jobs.id, id), eq(jobs.holder, holder));
  const leased = { holder, dueAt: inMs(LEASE_MS) };
  return {
    /**
     * Adds a job, together with what `alongside` writes.
     * @param isRun whether this process runs it at once.
     * @returns its id.
     * @throws TooManyJobsError; the errors of `alongside`.
     */
    add: (
      name: string,
      { key, userId, payload }: NewDurableJob,
      { isRun, kind, alongside }: AddedJob,
    ): Promise<number> =>
      db.transaction(async (tx) => {
        await requireRoom(tx, name, userId, kind);
        await alongside(tx);
        const values = { kind: name, key, userId, payload };
        const [row] = await tx
          .insert(jobs)
          .values({ ...values, ...(isRun && { ...leased, attempts: 1 }) })
          .returning({ id: jobs.id });
        return row?.id ?? 0;
      }),
    /** Leases the job of some kinds that is due first, except those that this process runs. */
    async claim(kinds: readonly string[], runningIds: readonly number[]): Promise<JobRow | undefined> {
      const due = db
        .select({ id: jobs.id })
        .from(jobs)
        .where(
          and(
            lte(jobs.dueAt, sql`now()`),
            inArray(jobs.kind, [...kinds]),
            sql`${jobs.id} <> all(${toBigintArray(runningIds)})`,
          ),
        )
        .orderBy(jobs.dueAt)
        .limit(1)
        .for('update', { skipLocked: true });
      const [claimed] = await db
        .update(jobs)
        .set({ ...leased, attempts: sql`${jobs.attempts} + 1` })
        // A scalar, not `in`: the planner may evaluate such a subquery once per row and lock another row each time.
        .where(eq(jobs.id, sql`(${due})`))
        .returning();
      return claimed;
    },
    /** Extends the leases of this process. @returns the jobs that are still its own. */
    async renew(ids: readonly number[]): Promise<readonly number[]> {
      const isHeld = and(sql`${jobs.id} = any(${toBigintArray(ids)})`, eq(jobs.holder, holder));
      const rows = await db.update(jobs).set(leased).where(isHeld).returning({ id: jobs.id });
      return rows.map(({ id }) => id);
    },
    /** Lets any process run a job after a pause. */
    async release(id: number, { afterMs, attempts }: { readonly afterMs: number; readonly attempts: number }) {
      await db
        .update(jobs)
        .set({ holder: null, dueAt: inMs(afterMs), attempts })
        .where(isOwn(id));
    },
    /** Ends the leases of all other processes. */
    async releaseOthers(): Promise<void> {
      const isOther = and(isNotNull(jobs.holder), ne(jobs.holder, holder));
      await db.update(jobs).set({ holder: null, dueAt: sql`now()` }).where(isOther);
    },
    /** Counts jobs by kind. */
    async count(): Promise<ReadonlyMap<string, number>> {
      const rows = await db.select({ kind: jobs.kind, count: count() }).from(jobs).groupBy(jobs.kind);
      return new Map(rows.map((row) => [row.kind, row.count]));
    },
    /** Deletes a job that is done. */
    async complete(id: number): Promise<void> {
      await db.delete(jobs).where(isOwn(id));
    },
    /** Deletes a job whatever its state. @returns its id. */
    async cancel(name: string, key: string): Promise<number | undefined> {
      const isMeant = and(eq(jobs.kind, name), eq(jobs.key, key));
      const [row] = await db.delete(jobs).where(isMeant).returning({ id: jobs.id });
      return row?.id;
    },
  };
}

interface AddedJob {
  readonly isRun: boolean;
  readonly kind: DurableJobKind;
  readonly alongside: (tx: Database) => Promise<void>;
}

/** @throws TooManyJobsError */
async function requireRoom(tx: Database, name: string, userId: number, kind: DurableJobKind): Promise<void> {
  // Serializes the calls for one user, so that the count stays correct.
  await tx.select({ id: users.id }).from(users).where(eq(users.id, userId)).for('no key update');
  const isOpen = eq(jobs.kind, name);
  const ofUser = await tx.$count(jobs, and(isOpen, eq(jobs.userId, userId)));
  const inAll = await tx.$count(jobs, isOpen);
  if (ofUser >= kind.maxPerUser || inAll >= kind.maxOpen) throw new TooManyJobsError(name);
}
