import { and, desc, eq, isNotNull, ne } from 'drizzle-orm';
import type { Database } from '../../database/connect.ts';
import { taskRuns, tasks } from '../../database/schema/index.ts';

import {
  OPEN_STATES,
  type PauseReason,
  type TaskNotice,
  type TaskRun,
  type TaskRunOutcome,
  toTaskRun,
} from './task.ts';

/** Failures in a row after which a task is paused. */
const MAX_FAILURES = 3;

interface EndedRun {
  readonly runId: number;
  readonly outcome: TaskRunOutcome;
  readonly now: Date;
}

/** Ends an open run, counts its failure, and determines what the user has to be told. */
export async function endRun(db: Database, { runId, outcome, now }: EndedRun): Promise<TaskRun | undefined> {
  return db.transaction(async (tx) => {
    const [known] = await tx.select({ taskId: taskRuns.taskId }).from(taskRuns).where(eq(taskRuns.id, runId));
    if (!known) return undefined;
    // The task is locked first, as by all changes of tasks, which avoids deadlocks.
    const [task] = await tx.select().from(tasks).where(eq(tasks.id, known.taskId)).for('update');
    const [run] = await tx.select().from(taskRuns).where(eq(taskRuns.id, runId)).for('update');
    if (!task || !run) return undefined;
    if (!OPEN_STATES.includes(run.state)) return toTaskRun(run);
    const pause = await countOutcome(tx, task, outcome);
    const notice = await findNotice(tx, run, { outcome, pause });
    const [ended] = await tx
      .update(taskRuns)
      .set({ ...toColumns(outcome), notice, endedAt: now, leaseUntil: null, claims: 0 })
      .where(eq(taskRuns.id, runId))
      .returning();
    return ended && toTaskRun(ended);
  });
}

/** Counts failures in a row, and pauses the task if there are too many. @returns the reason if it was paused. */
async function countOutcome(
  tx: Database,
  task: typeof tasks.$inferSelect,
  outcome: TaskRunOutcome,
): Promise<PauseReason | undefined> {
  if (outcome.state === 'skipped' || outcome.state === 'unclear') return undefined;
  const failures = outcome.state === 'failed' ? task.failures + 1 : 0;
  const pause = task.state === 'active' && outcome.state === 'failed' ? findPause(outcome.reason, failures) : undefined;
  await tx
    .update(tasks)
    .set({ failures, ...(pause && { state: 'paused', pausedReason: pause, nextDueAt: null }) })
    .where(eq(tasks.id, task.id));
  return pause;
}

function findPause(reason: string, failures: number): PauseReason | undefined {
  if (reason === 'unreachable' || reason === 'not-allowed') return reason;
  return failures >= MAX_FAILURES ? 'failures' : undefined;
}

/** Returns what the user has to be told in addition to the answer. */
async function findNotice(
  tx: Database,
  run: typeof taskRuns.$inferSelect,
  { outcome, pause }: { readonly outcome: TaskRunOutcome; readonly pause: PauseReason | undefined },
): Promise<TaskNotice | null> {
  if (outcome.state === 'done') return null;
  const { reason } = outcome;
  if (reason === 'unreachable' || reason === 'not-allowed') return reason;
  if (pause) return 'paused';
  if (reason === 'not-started' || reason === 'no-model') return reason;
  if (reason !== 'quota') return null;
  const isBefore = and(eq(taskRuns.taskId, run.taskId), ne(taskRuns.id, run.id), isNotNull(taskRuns.endedAt));
  const [before] = await tx.select().from(taskRuns).where(isBefore).orderBy(desc(taskRuns.endedAt)).limit(1);
  return before?.reason === 'quota' ? null : 'quota';
}

function toColumns(outcome: TaskRunOutcome): Pick<typeof taskRuns.$inferSelect, 'state' | 'reason' | 'isQuiet'> {
  return outcome.state === 'done'
    ? { state: 'done', reason: null, isQuiet: outcome.isQuiet ?? false }
    : { state: outcome.state, reason: outcome.reason, isQuiet: false };
}
