import { type TaskRun as StoredRun, type Task as StoredTask, toLocalTime } from '../../core/tasks/index.ts';
import { toTime } from '../resources/fields.ts';

/** A reminder, or a question that a model answers at its time. */
export interface Task {
  readonly id: number;
  readonly kind: StoredTask['kind'];
  readonly text: string;
  /** False: it runs in the private chat with the bot. */
  readonly is_in_group: boolean;
  readonly state: StoredTask['state']['kind'];
  /** null unless it is paused. */
  readonly pause_reason: PauseReason | null;
  /** null unless it is active. */
  readonly next_run_at: string | null;
  /** Recurrence rule of RFC 5545; null: it runs once. */
  readonly rule: string | null;
  /** Local time of the first run in `time_zone`: `2026-11-24T08:00`. */
  readonly starts_at: string;
  /** IANA name. */
  readonly time_zone: string;
  /** A run without news sends no message. */
  readonly quiet_when_nothing_new: boolean;
  /** A model wrote the text after it had read text of others, so it may contain their instructions. */
  readonly has_foreign_text: boolean;
}

type PauseReason = Extract<StoredTask['state'], { readonly kind: 'paused' }>['reason'];

/** One run of a task. */
export interface TaskRun {
  readonly id: number;
  readonly due_at: string;
  /** `unclear`: its message may or may not have arrived. `skipped`: not carried out on purpose. */
  readonly state: 'waiting' | 'running' | 'done' | 'failed' | 'unclear' | 'skipped';
  /** It had nothing new to report. */
  readonly is_quiet: boolean;
  /** Why it failed or was skipped. */
  readonly reason: NonNullable<StoredRun['reason']> | null;
  /** The user has started it. */
  readonly is_manual: boolean;
  /** Number of later due times that it stands for. */
  readonly missed_count: number;
  /** null: it has not ended. */
  readonly ended_at: string | null;
}

const RUN_STATES = {
  due: 'waiting',
  claimed: 'waiting',
  started: 'running',
  done: 'done',
  failed: 'failed',
  unclear: 'unclear',
  skipped: 'skipped',
} as const satisfies Record<StoredRun['state'], TaskRun['state']>;

export function toTask(task: StoredTask): Task {
  const { id, kind, prompt, owner, state, times } = task;
  return {
    id,
    kind,
    text: prompt,
    is_in_group: owner.groupId !== undefined,
    state: state.kind,
    pause_reason: state.kind === 'paused' ? state.reason : null,
    next_run_at: state.kind === 'active' ? toTime(state.nextDueAt) : null,
    rule: times.kind === 'repeated' ? times.rule : null,
    starts_at: times.kind === 'repeated' ? times.startsAt : toLocalTime(times.at.getTime(), times.timeZone),
    time_zone: times.timeZone,
    quiet_when_nothing_new: task.quietWhenNothingNew,
    has_foreign_text: task.hasForeignText,
  };
}

export function toTaskRun(run: StoredRun): TaskRun {
  return {
    id: run.id,
    due_at: toTime(run.dueAt),
    state: RUN_STATES[run.state],
    is_quiet: run.isQuiet,
    reason: run.reason ?? null,
    is_manual: run.isManual,
    missed_count: run.missedCount,
    ended_at: run.endedAt ? toTime(run.endedAt) : null,
  };
}
