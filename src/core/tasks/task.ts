import type { taskRuns, tasks } from '../../database/schema/index.ts';
import type { PlannedTasks } from '../limits/index.ts';

/** Owner of tasks. A task belongs to the user who made it, and runs in that user's private chat or in a group. */
export interface TaskOwner {
  readonly userId: number;
  /** Telegram id of the group; undefined: the private chat. */
  readonly groupId?: number | undefined;
}

/** `reminder`: the bot sends the text, without a model. `question`: a model answers it. */
export type TaskKind = 'reminder' | 'question';

/** Times at which a task runs. */
export type TaskTimes =
  | {
      readonly kind: 'once';
      readonly at: Date;
      /** IANA name, for showing the time. */
      readonly timeZone: string;
    }
  | {
      readonly kind: 'repeated';
      /** Recurrence rule of RFC 5545 without `RRULE:`, such as `FREQ=WEEKLY;BYDAY=MO`. */
      readonly rule: string;
      /** Start of the rule as local time: `2026-11-24T08:00`. */
      readonly startsAt: string;
      /** IANA name. */
      readonly timeZone: string;
    };

/** Why a task is paused: by its user, after failures in a row, or because its chat can't or may not be used. */
export type PauseReason = NonNullable<(typeof tasks.$inferSelect)['pausedReason']>;

export type TaskState =
  | { readonly kind: 'active'; readonly nextDueAt: Date }
  | { readonly kind: 'paused'; readonly reason: PauseReason }
  /** No due time is left. */
  | { readonly kind: 'ended' };

/** Fields of a task that a user sets. */
export interface TaskContent {
  readonly kind: TaskKind;
  readonly prompt: string;
  readonly times: TaskTimes;
  /** A run without news sends no message. Only for questions. */
  readonly quietWhenNothingNew: boolean;
}

export interface Task extends TaskContent {
  readonly id: number;
  readonly owner: TaskOwner;
  /** Topic in which it runs; undefined outside topics. */
  readonly topicId: number | undefined;
  /** Language of the user's app as an IETF tag, if known. */
  readonly language: string | undefined;
  /** A model wrote the text after it had read text of others, so it may contain their instructions. */
  readonly hasForeignText: boolean;
  readonly state: TaskState;
  /** Failed runs since the last successful one. */
  readonly failures: number;
  readonly createdAt: Date;
}

/**
 * State of a run. `due`: not handed over yet. `claimed`: handed over to the process that owns the chat. `started`: its
 * question is stored. `unclear`: its message may or may not have arrived. `skipped`: not carried out on purpose.
 */
export type TaskRunState = (typeof taskRuns.$inferSelect)['state'];

/** States of a run that has not ended. */
export const OPEN_STATES: TaskRunState[] = ['due', 'claimed', 'started'];

/** Why a run failed or was skipped. */
export type TaskRunReason =
  | 'quota'
  | 'unreachable'
  | 'not-allowed'
  | 'not-started'
  | 'error'
  | 'interrupted'
  | 'stopped'
  | 'no-model';

/** Notice to the user about a run that has no answer of its own. */
export type TaskNotice = NonNullable<(typeof taskRuns.$inferSelect)['notice']>;

/** One run of a task in the ledger. */
export interface TaskRun {
  readonly id: number;
  readonly taskId: number;
  readonly dueAt: Date;
  /** Number of later due times that this run stands for; at most `MAX_MISSED`. */
  readonly missedCount: number;
  /** The user has started it. */
  readonly isManual: boolean;
  readonly state: TaskRunState;
  /** A quiet run had nothing to report. */
  readonly isQuiet: boolean;
  readonly reason: TaskRunReason | undefined;
  /** Id of the stored question of a started run. */
  readonly questionId: number | undefined;
  readonly endedAt: Date | undefined;
  readonly notice: TaskNotice | undefined;
}

/** Outcome of a run. A skipped one does not count as a failure. */
export type TaskRunOutcome =
  | { readonly state: 'done'; readonly isQuiet?: boolean }
  /** `stopped`: by its user, before anything was shown. */
  | { readonly state: 'skipped'; readonly reason: 'quota' | 'stopped' }
  | { readonly state: 'failed' | 'unclear'; readonly reason: Exclude<TaskRunReason, 'quota' | 'stopped'> };

/** Bounds of a user's tasks. */
export interface TaskLimits {
  /** Active tasks in all chats. */
  readonly active: number;
  /** Shortest time between two runs of a task. */
  readonly shortestIntervalMs: number;
}

/** Part of a list. */
export interface TaskPage {
  readonly offset: number;
  readonly limit: number;
}

export function toTask(row: typeof tasks.$inferSelect): Task {
  return {
    id: row.id,
    owner: { userId: row.userId, groupId: row.groupId ?? undefined },
    topicId: row.topicId ?? undefined,
    language: row.language ?? undefined,
    kind: row.kind,
    prompt: row.prompt,
    times: toTimes(row),
    hasForeignText: row.hasForeignText,
    quietWhenNothingNew: row.quietWhenNothingNew,
    state: toState(row),
    failures: row.failures,
    createdAt: row.createdAt,
  };
}

function toTimes({ onceAt, rule, startsAt, timeZone }: typeof tasks.$inferSelect): TaskTimes {
  if (onceAt) return { kind: 'once', at: onceAt, timeZone };
  if (rule === null || startsAt === null) throw new Error('A task has no times');
  return { kind: 'repeated', rule, startsAt, timeZone };
}

function toState({ state, pausedReason, nextDueAt }: typeof tasks.$inferSelect): TaskState {
  if (nextDueAt) return { kind: 'active', nextDueAt };
  return state === 'paused' && pausedReason ? { kind: 'paused', reason: pausedReason } : { kind: 'ended' };
}

export function toTaskRun(row: typeof taskRuns.$inferSelect): TaskRun {
  return {
    id: row.id,
    taskId: row.taskId,
    dueAt: row.dueAt,
    missedCount: row.missedCount,
    isManual: row.isManual,
    state: row.state,
    isQuiet: row.isQuiet,
    reason: (row.reason ?? undefined) as TaskRunReason | undefined,
    questionId: row.questionId ?? undefined,
    endedAt: row.endedAt ?? undefined,
    notice: row.notice ?? undefined,
  };
}

const DEFAULT_ACTIVE = 20;
const DEFAULT_SHORTEST_INTERVAL_MINUTES = 30;

/** Returns the bounds that a plan sets for a user's tasks. */
export function toTaskLimits({
  active = DEFAULT_ACTIVE,
  shortestIntervalMinutes = DEFAULT_SHORTEST_INTERVAL_MINUTES,
}: PlannedTasks = {}): TaskLimits {
  return { active, shortestIntervalMs: shortestIntervalMinutes * 60_000 };
}
