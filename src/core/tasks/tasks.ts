import { and, desc, eq, inArray, isNull, ne, notInArray, type SQL, sql } from 'drizzle-orm';
import type { Database } from '../../database/connect.ts';
import { lockUser } from '../../database/lock-user.ts';
import { groups, taskRuns, tasks } from '../../database/schema/index.ts';
import { toStorableText } from '../../database/storable.ts';
import type { Clock } from '../../lib/clock.ts';
import { toNextState } from './add-due-run.ts';
import { type CheckedTimes, checkTimes, type TimesProblem } from './check-times.ts';
import { createRecurrence } from './recurrence.ts';
import {
  OPEN_STATES,
  type Task,
  type TaskContent,
  type TaskLimits,
  type TaskOwner,
  type TaskPage,
  type TaskRun,
  toTask,
  toTaskRun,
} from './task.ts';
/** Why a task can't be stored. */
export type TaskRefusal =
  | TimesProblem
  | { readonly kind: 'too-many'; readonly limit: number }
  | { readonly kind: 'invalid-prompt'; readonly maxLength: number };

export interface NewTask extends TaskContent {
  /** Undefined outside topics. */
  readonly topicId?: number | undefined;
  /** Language of the user's app as an IETF tag. Default unknown. */
  readonly language?: string | undefined;
  /** Default false. */
  readonly hasForeignText?: boolean | undefined;
}

/** All tasks of a group, for its admins. */
export interface TasksOfGroup {
  readonly groupId: number;
}

/** All tasks of a user, in the private chat and in groups. */
export interface TasksOfUser {
  readonly userId: number;
  readonly hasAllChats: true;
}

type SeenTasks = TaskOwner | TasksOfGroup | TasksOfUser;

/** Tasks of users. Every call concerns the tasks of one owner; those of others count as missing. */
export type Tasks = ReturnType<typeof createTasks>;

export interface TasksDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly readLimits: (userId: number) => Promise<TaskLimits>;
  /** Called when a task is due earlier than before. Default none. */
  readonly onDueSooner?: (() => void) | undefined;
}

export const MAX_PROMPT_LENGTH = 2000;
/** Ended tasks of a user that stay stored; the oldest are deleted. */
export const MAX_ENDED_TASKS = 50;
/** No more tasks are created beside so many paused ones and the active ones of the plan. */
export const MAX_PAUSED_TASKS = 100;
/** Longest page of a list. */
const MAX_PAGE = 100;

type Row = typeof tasks.$inferSelect;

export function createTasks(deps: TasksDeps) {
  const { db, clock, readLimits, onDueSooner = () => {} } = deps;
  const check = (times: TaskContent['times'], { shortestIntervalMs }: TaskLimits) =>
    checkTimes(times, { nowMs: clock.now(), shortestIntervalMs });

  /** Changes a task in a transaction that holds the lock of its user, so that bounds hold. */
  const update = async <Result>(
    owner: TaskOwner,
    taskId: number,
    write: (tx: Database, row: Row) => Promise<Result>,
  ): Promise<Result | undefined> => {
    const result = await db.transaction(async (tx) => {
      await lockUser(tx, owner.userId);
      const [row] = await tx.select().from(tasks).where(isOwn(owner, taskId)).for('update');
      return row && write(tx, row);
    });
    onDueSooner();
    return result;
  };

  return {
    /** Returns the bounds of a user's tasks. */
    readLimits,
    async create(
      owner: TaskOwner,
      { topicId, language, hasForeignText = false, ...content }: NewTask,
    ): Promise<Task | TaskRefusal> {
      const limits = await readLimits(owner.userId);
      const refusal = checkPrompt(content.prompt);
      const checked = await check(content.times, limits);
      if (refusal) return refusal;
      if ('kind' in checked) return checked;
      const made = await db.transaction(async (tx) => {
        await lockUser(tx, owner.userId);
        if (await isFull(tx, owner.userId, limits)) return limits.active;
        const maxOpen = limits.active + MAX_PAUSED_TASKS;
        if ((await tx.$count(tasks, isOpen(owner.userId))) >= maxOpen) return maxOpen;
        if (owner.groupId !== undefined)
          await tx.insert(groups).values({ chatId: owner.groupId }).onConflictDoNothing();
        await deleteOldEnded(tx, owner.userId);
        const [row] = await tx
          .insert(tasks)
          .values({
            userId: owner.userId,
            groupId: owner.groupId ?? null,
            topicId: topicId ?? null,
            language: language ?? null,
            hasForeignText,
            ...toColumns(content, checked),
            createdAt: new Date(clock.now()),
          })
          .returning();
        if (!row) throw new Error('A task was not stored');
        return row;
      });
      if (typeof made === 'number') return { kind: 'too-many', limit: made };
      onDueSooner();
      return toTask(made);
    },
    async find(owner: SeenTasks, taskId: number): Promise<Task | undefined> {
      const [row] = await db.select().from(tasks).where(isOwn(owner, taskId));
      return row && toTask(row);
    },
    /** Lists active tasks by their next due time, then paused ones, then ended ones, the newest first. */
    async list(
      owner: SeenTasks,
      { offset, limit }: TaskPage,
    ): Promise<{ readonly tasks: readonly Task[]; readonly totalCount: number }> {
      const totalCount = await db.$count(tasks, isOf(owner));
      const rows = await db
        .select()
        .from(tasks)
        .where(isOf(owner))
        .orderBy(sql`${tasks.nextDueAt} asc nulls last`, desc(tasks.state), desc(tasks.id))
        .offset(offset)
        .limit(Math.min(limit, MAX_PAGE));
      return { tasks: rows.map(toTask), totalCount };
    },
    /**
     * Changes a task. A new text is that of its user. New times activate an ended one; failures are no longer counted.
     * @returns undefined if it is missing.
     */
    async change(
      owner: TaskOwner,
      taskId: number,
      changes: Partial<TaskContent>,
    ): Promise<Task | TaskRefusal | undefined> {
      const limits = await readLimits(owner.userId);
      return update(owner, taskId, async (tx, row) => {
        const task = toTask(row);
        const content = { ...task, ...changes };
        const refusal = checkPrompt(content.prompt);
        if (refusal) return refusal;
        const texts = { ...toTexts(content), ...(changes.prompt !== undefined && { hasForeignText: false }) };
        if (!changes.times) return save(tx, row, texts);
        const checked = await check(changes.times, limits);
        if ('kind' in checked) return checked;
        if (task.state.kind === 'ended' && (await isFull(tx, owner.userId, limits)))
          return { kind: 'too-many', limit: limits.active };
        const isPaused = task.state.kind === 'paused';
        const state = isPaused ? { nextDueAt: null } : { state: 'active' as const, nextDueAt: checked.nextDueAt };
        return save(tx, row, { ...toColumns(content, checked), ...texts, ...state, failures: 0 });
      });
    },
    /** Pauses an active task. A run in progress continues. @returns undefined if it is missing. */
    pause: (owner: TaskOwner, taskId: number): Promise<Task | undefined> =>
      update(owner, taskId, async (tx, row) => {
        if (row.state !== 'active') return toTask(row);
        return save(tx, row, { state: 'paused', pausedReason: 'user', nextDueAt: null });
      }),
    /** Activates a paused task from now on. @returns undefined if it is missing. */
    async resume(owner: TaskOwner, taskId: number): Promise<Task | TaskRefusal | undefined> {
      const limits = await readLimits(owner.userId);
      return update(owner, taskId, async (tx, row) => {
        if (row.state !== 'paused') return toTask(row);
        const checked = await check(toTask(row).times, limits);
        if ('kind' in checked) return checked;
        if (await isFull(tx, owner.userId, limits)) return { kind: 'too-many', limit: limits.active };
        const { nextDueAt } = checked;
        return save(tx, row, { state: 'active', pausedReason: null, nextDueAt, failures: 0 });
      });
    },
    /** Deletes a task with its history. @returns false if it is missing. */
    async remove(owner: TaskOwner, taskId: number): Promise<boolean> {
      const removed = await db.delete(tasks).where(isOwn(owner, taskId)).returning({ id: tasks.id });
      return removed.length > 0;
    },
    /**
     * Adds a run that is due now; the other due times stay.
     * @returns `running` if a run is in progress, undefined if the task is missing.
     */
    runNow: (owner: TaskOwner, taskId: number): Promise<TaskRun | 'running' | undefined> =>
      update(owner, taskId, async (tx, row) => {
        const now = new Date(clock.now());
        const [made] = await tx
          .insert(taskRuns)
          .values({ taskId: row.id, dueAt: now, isManual: true, createdAt: now })
          .onConflictDoNothing()
          .returning();
        return made ? toTaskRun(made) : 'running';
      }),
    /** Lists the runs of a task, the newest first. The ledger keeps `MAX_RUNS_KEPT` of them. */
    async listRuns(
      owner: TaskOwner,
      taskId: number,
      { offset, limit }: TaskPage,
    ): Promise<{ readonly runs: readonly TaskRun[]; readonly totalCount: number }> {
      const isOwnTask = inArray(taskRuns.taskId, db.select({ id: tasks.id }).from(tasks).where(isOwn(owner, taskId)));
      const totalCount = await db.$count(taskRuns, isOwnTask);
      const rows = await db
        .select()
        .from(taskRuns)
        .where(isOwnTask)
        .orderBy(desc(taskRuns.dueAt), desc(taskRuns.id))
        .offset(offset)
        .limit(Math.min(limit, MAX_PAGE));
      return { runs: rows.map(toTaskRun), totalCount };
    },
    /**
     * Moves the repeated tasks of a user from one time zone to another, so that they keep their local time after a move.
     * @returns their number.
     */
    async changeTimeZone(
      userId: number,
      { from, to }: { readonly from: string; readonly to: string },
    ): Promise<number> {
      const moved = await db.transaction(async (tx) => {
        const isMoved = and(eq(tasks.userId, userId), eq(tasks.timeZone, from), isNull(tasks.onceAt));
        const rows = await tx.select().from(tasks).where(isMoved).for('update');
        for (const row of rows) {
          const next = createRecurrence(toTask({ ...row, timeZone: to }).times).next(clock.now());
          await save(tx, row, { timeZone: to, ...(row.state === 'active' && toNextState(next)) });
        }
        return rows.length;
      });
      onDueSooner();
      return moved;
    },
  };
}

async function save(tx: Database, { id }: Row, set: Partial<typeof tasks.$inferInsert>): Promise<Task> {
  const [row] = await tx.update(tasks).set(set).where(eq(tasks.id, id)).returning();
  if (!row) throw new Error('A locked task is missing');
  return toTask(row);
}

function isOf(owner: SeenTasks): SQL | undefined {
  if ('hasAllChats' in owner) return eq(tasks.userId, owner.userId);
  if (!('userId' in owner)) return eq(tasks.groupId, owner.groupId);
  const { userId, groupId } = owner;
  return and(eq(tasks.userId, userId), groupId === undefined ? isNull(tasks.groupId) : eq(tasks.groupId, groupId));
}

function isOwn(owner: SeenTasks, taskId: number): SQL | undefined {
  return and(eq(tasks.id, taskId), isOf(owner));
}

async function isFull(tx: Database, userId: number, { active }: TaskLimits): Promise<boolean> {
  const isActive = and(eq(tasks.userId, userId), eq(tasks.state, 'active'));
  return (await tx.$count(tasks, isActive)) >= active;
}

function isOpen(userId: number): SQL | undefined {
  return and(eq(tasks.userId, userId), ne(tasks.state, 'ended'));
}

async function deleteOldEnded(tx: Database, userId: number): Promise<void> {
  const isEnded = and(eq(tasks.userId, userId), eq(tasks.state, 'ended'));
  const open = tx.select({ id: taskRuns.taskId }).from(taskRuns).where(inArray(taskRuns.state, OPEN_STATES));
  const old = tx.select({ id: tasks.id }).from(tasks).where(isEnded).orderBy(desc(tasks.id)).offset(MAX_ENDED_TASKS);
  await tx.delete(tasks).where(and(inArray(tasks.id, old), notInArray(tasks.id, open)));
}

function checkPrompt(prompt: string): TaskRefusal | undefined {
  const isValid = toStorableText(prompt).trim() !== '' && prompt.length <= MAX_PROMPT_LENGTH;
  return isValid ? undefined : { kind: 'invalid-prompt', maxLength: MAX_PROMPT_LENGTH };
}

function toTexts({ kind, prompt, quietWhenNothingNew }: TaskContent) {
  const isQuiet = kind === 'question' && quietWhenNothingNew;
  return { kind, prompt: toStorableText(prompt).trim(), quietWhenNothingNew: isQuiet };
}

function toColumns(content: TaskContent, { times, nextDueAt }: CheckedTimes) {
  const texts = toTexts(content);
  const { timeZone } = times;
  return times.kind === 'once'
    ? { ...texts, timeZone, onceAt: times.at, rule: null, startsAt: null, nextDueAt }
    : { ...texts, timeZone, onceAt: null, rule: times.rule, startsAt: times.startsAt, nextDueAt };
}
