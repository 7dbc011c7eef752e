import { and, eq, isNotNull, lte } from 'drizzle-orm';
import type { Database } from '../../database/connect.ts';
import { taskRuns, tasks, users } from '../../database/schema/index.ts';
import type { Clock } from '../../lib/clock.ts';
import { addDueRun, hasNoOpenRun } from './add-due-run.ts';
import { type ClaimedRun, claimRuns } from './claim-runs.ts';
import { endRun } from './end-run.ts';
import { listOutcomes } from './list-outcomes.ts';
import { type Task, type TaskLimits, type TaskRun, type TaskRunOutcome, toTask, toTaskRun } from './task.ts';

/** A run with its task, and the chat in which it takes place. */
export interface DueRun {
  readonly run: TaskRun;
  readonly task: Task;
  /** Telegram id of the group, or of the user's private chat. */
  readonly chatId: number;
}

/**
 * Ledger of the runs of all tasks. A due time becomes one run, by whichever process is first, and ends in one state.
 * Several processes may call the functions at once.
 */
export type TaskLedger = ReturnType<typeof createTaskLedger>;

export interface TaskLedgerDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly readLimits: (userId: number) => Promise<TaskLimits>;
}

/** Tasks or runs that one call takes. */
export const BATCH = 50;

export function createTaskLedger({ db, clock, readLimits }: TaskLedgerDeps) {
  const now = () => new Date(clock.now());
  return {
    /** Returns a run; undefined if its task was deleted. */
    async findRun(runId: number): Promise<DueRun | undefined> {
      const [row] = await db
        .select({ run: taskRuns, task: tasks, telegramId: users.telegramId })
        .from(taskRuns)
        .innerJoin(tasks, eq(tasks.id, taskRuns.taskId))
        .innerJoin(users, eq(users.id, tasks.userId))
        .where(eq(taskRuns.id, runId));
      const chatId = row?.task.groupId ?? row?.telegramId;
      return row && typeof chatId === 'number'
        ? { run: toTaskRun(row.run), task: toTask(row.task), chatId }
        : undefined;
    },
    /**
     * Ends an open run; an ended one is left unchanged. After `MAX_FAILURES` failures in a row, or if its chat can't be
     * used, the task is paused. The run gets a notice if the user has to be told.
     * @returns undefined if the run was deleted.
     */
    endRun: (runId: number, outcome: TaskRunOutcome): Promise<TaskRun | undefined> =>
      endRun(db, { runId, outcome, now: now() }),
    /** Stores that the user was told about a run. */
    async recordNotice(runId: number): Promise<void> {
      await db.update(taskRuns).set({ notice: null, leaseUntil: null }).where(eq(taskRuns.id, runId));
    },
    /**
     * Adds runs of the tasks that are due, at most `BATCH`. Due times that have passed meanwhile become one run. A task
     * with an open run waits for its end.
     * @returns the number of tasks.
     */
    async addDueRuns(): Promise<number> {
      const due = await db
        .select({ id: tasks.id, userId: tasks.userId })
        .from(tasks)
        .where(and(lte(tasks.nextDueAt, now()), hasNoOpenRun(db)))
        .orderBy(tasks.nextDueAt)
        .limit(BATCH);
      for (const { id, userId } of due) {
        const { shortestIntervalMs } = await readLimits(userId);
        await addDueRun(db, { taskId: id, shortestIntervalMs, now: now() });
      }
      return due.length;
    },
    /** Claims runs and notices that are to be handed over, at most `BATCH`, until their lease expires. */
    claimRuns: (): Promise<readonly ClaimedRun[]> => claimRuns(db, { now: now(), limit: BATCH }),
    /** Ends runs whose answer has ended, and those that could not be started in several attempts. @returns their number. */
    async endSettledRuns(): Promise<number> {
      const outcomes = await listOutcomes(db, { now: now(), limit: BATCH });
      for (const { runId, outcome } of outcomes) await endRun(db, { runId, outcome, now: now() });
      return outcomes.length;
    },
    /** Returns the earliest due time of the tasks without an open run. */
    async findNextDue(): Promise<Date | undefined> {
      const [row] = await db
        .select({ nextDueAt: tasks.nextDueAt })
        .from(tasks)
        .where(and(isNotNull(tasks.nextDueAt), hasNoOpenRun(db)))
        .orderBy(tasks.nextDueAt)
        .limit(1);
      return row?.nextDueAt ?? undefined;
    },
  };
}
