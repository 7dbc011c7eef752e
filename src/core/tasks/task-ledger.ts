import { and, desc, eq, inArray, isNotNull, isNull, lte, or, sql } from 'drizzle-orm';
import type { Database } from '../../database/connect.ts';
import { deliveries, messages, taskRuns, tasks, users } from '../../database/schema/index.ts';
import type { Clock } from '../../lib/clock.ts';
import { addDueRun, hasNoOpenRun } from './add-due-run.ts';
import { type ClaimedRun, claimRuns, isGivenUp } from './claim-runs.ts';
import { endRun } from './end-run.ts';

import {
  OPEN_STATES,
  type Task,
  type TaskLimits,
  type TaskRun,
  type TaskRunOutcome,
  toTask,
  toTaskRun,
} from './task.ts';

/** A model's answer to a quiet task that has nothing to report. It is not sent. */
export const NOTHING_NEW = 'NOTHING_NEW';

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

/**
 * Lists open runs that have ended according to their answer, or were claimed too often. The answer's row decides, so
 * that a run ends even if the process that answered has died.
 */
async function listOutcomes(
  db: Database,
  { now, limit }: { readonly now: Date; readonly limit: number },
): Promise<readonly { readonly runId: number; readonly outcome: TaskRunOutcome }[]> {
  const answer = db
    .select({
      content: messages.content,
      finishReason: messages.finishReason,
      settledAt: messages.settledAt,
      isShown: sql<boolean>`exists (select from ${deliveries} where ${deliveries.messageId} = ${messages.id})`.as(
        'is_shown',
      ),
    })
    .from(messages)
    .where(and(eq(messages.parentId, taskRuns.questionId), eq(messages.role, 'assistant')))
    .orderBy(desc(messages.id))
    .limit(1)
    .as('answer');
  const isStarted = eq(taskRuns.state, 'started');
  const isSettled = and(isStarted, isNotNull(answer.settledAt));
  const isGone = and(isStarted, isNull(taskRuns.questionId));
  const rows = await db
    .select({
      runId: taskRuns.id,
      state: taskRuns.state,
      questionId: taskRuns.questionId,
      content: answer.content,
      isShown: answer.isShown,
      finishReason: answer.finishReason,
      settledAt: answer.settledAt,
    })
    .from(taskRuns)
    .leftJoinLateral(answer, sql`true`)
    // The states name the index of open runs.
    .where(and(inArray(taskRuns.state, OPEN_STATES), or(isSettled, isGone, isGivenUp(db, now))))
    .orderBy(taskRuns.id)
    .limit(limit);
  return rows.map(({ runId, ...row }) => ({ runId, outcome: toOutcome(row) }));
}

const FAILED: ReadonlySet<string> = new Set(['error', 'content_filter']);

function toOutcome(row: {
  readonly state: string;
  readonly questionId: number | null;
  readonly content: string | null;
  readonly isShown: boolean | null;
  readonly finishReason: string | null;
  readonly settledAt: Date | null;
}): TaskRunOutcome {
  // The conversation was deleted meanwhile.
  if (row.state === 'started' && row.questionId === null) return { state: 'unclear', reason: 'interrupted' };
  if (row.settledAt === null) return { state: 'failed', reason: 'not-started' };
  if (row.finishReason === 'interrupted') return { state: 'failed', reason: 'interrupted' };
  if (row.finishReason === null || FAILED.has(row.finishReason)) return { state: 'failed', reason: 'error' };
  if (row.finishReason === 'stopped' && !row.isShown) return { state: 'skipped', reason: 'stopped' };
  if (row.isShown || row.content === '') return { state: 'done' };
  // Telegram has refused it, for instance because the topic was deleted.
  return isNothingNew(row.content ?? '')
    ? { state: 'done', isQuiet: true }
    : { state: 'failed', reason: 'unreachable' };
}

/** Models decorate the marker: `**NOTHING_NEW**.` */
const MAX_CHARACTERS = NOTHING_NEW.length + 10;

export function isNothingNew(answer: string): boolean {
  const written = answer.trim();
  return written.length <= MAX_CHARACTERS && written.includes(NOTHING_NEW);
}
