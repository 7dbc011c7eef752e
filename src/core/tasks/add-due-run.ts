import { and, eq, inArray, lte, notExists, type SQL } from 'drizzle-orm';
import type { Database } from '../../database/connect.ts';
import { taskRuns, tasks } from '../../database/schema/index.ts';
import { createRecurrence } from './recurrence.ts';
import { OPEN_STATES, toTask } from './task.ts';
/** Missed due times that are counted; a run that missed more stands for all of them. */
export const MAX_MISSED = 100;
/** Runs of a task that the ledger keeps. */
export const MAX_RUNS_KEPT = 100;

/** Returns the condition for tasks without an open run. */
export function hasNoOpenRun(db: Database): SQL {
  const isOpen = and(eq(taskRuns.taskId, tasks.id), inArray(taskRuns.state, OPEN_STATES));
  return notExists(db.select({ id: taskRuns.id }).from(taskRuns).where(isOpen));
}

/**
 * Adds the run of a task that is due, and sets its next due time. Does nothing if another process was first, or the task
 * is no longer due.
 */
export async function addDueRun(
  db: Database,
  due: { readonly taskId: number; readonly shortestIntervalMs: number; readonly now: Date },
): Promise<void> {
  const { taskId, shortestIntervalMs, now } = due;
  await db.transaction(async (tx) => {
    const [row] = await tx
      .select()
      .from(tasks)
      .where(and(eq(tasks.id, taskId), lte(tasks.nextDueAt, now), hasNoOpenRun(tx)))
      .for('update', { skipLocked: true });
    if (!row?.nextDueAt) return;
    const dueAt = row.nextDueAt;
    const recurrence = createRecurrence(toTask(row).times);
    const missedCount = countMissed((afterMs) => recurrence.next(afterMs), dueAt, now);
    const [added] = await tx
      .insert(taskRuns)
      .values({ taskId, dueAt, missedCount, createdAt: now })
      .onConflictDoNothing()
      .returning({ id: taskRuns.id });
    // A run that a user began after the SELECT: this one waits for its end.
    if (!added && (await tx.$count(tasks, and(eq(tasks.id, taskId), hasNoOpenRun(tx)))) === 0) return;
    const next = recurrence.next(Math.max(now.getTime(), dueAt.getTime() + shortestIntervalMs - 1));
    await tx.update(tasks).set(toNextState(next)).where(eq(tasks.id, taskId));
    await deleteOldRuns(tx, taskId);
  });
}

/** Returns the columns of an active task that is due next at the given time, or of one that has ended. */
export function toNextState(nextMs: number | undefined): Pick<typeof tasks.$inferSelect, 'state' | 'nextDueAt'> {
  return nextMs === undefined ? { state: 'ended', nextDueAt: null } : { state: 'active', nextDueAt: new Date(nextMs) };
}

function countMissed(next: (afterMs: number) => number | undefined, dueAt: Date, now: Date): number {
  let missed = 0;
  for (let at = next(dueAt.getTime()); at !== undefined && at <= now.getTime(); at = next(at)) {
    missed += 1;
    if (missed === MAX_MISSED) break;
  }
  return missed;
}

async function deleteOldRuns(tx: Database, taskId: number): Promise<void> {
  const isOfTask = eq(taskRuns.taskId, taskId);
  const excess = (await tx.$count(taskRuns, isOfTask)) - MAX_RUNS_KEPT;
  if (excess <= 0) return;
  const old = tx.select({ id: taskRuns.id }).from(taskRuns).where(isOfTask).orderBy(taskRuns.dueAt).limit(excess);
  await tx.delete(taskRuns).where(inArray(taskRuns.id, old));
}
