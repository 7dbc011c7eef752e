import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import {
  MAX_PROMPT_LENGTH,
  parseWhen,
  type TaskRun as StoredRun,
  type Task as StoredTask,
  type TaskContent,
  type TaskRefusal,
  type TasksOfUser,
  toLocalTime,
  toTimes,
} from '../../core/tasks/index.ts';
import { HttpError, notFound } from '../../protocols/http-error.ts';
import { toTime } from '../resources/fields.ts';
import { listByOffset, pageShape, sendPage } from '../resources/paged-list.ts';
import { idSchema, readBody, readId, readQuery, textSchema } from '../resources/query.ts';
import type { HttpServices } from '../services.ts';
import { getSession } from './authenticate-session.ts';

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

function toTask(task: StoredTask): Task {
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

function toTaskRun(run: StoredRun): TaskRun {
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

const MAX_WHEN_LENGTH = 100;
const listSchema = z.strictObject(pageShape);
const changesSchema = z.strictObject({
  text: textSchema(MAX_PROMPT_LENGTH).optional(),
  // As users write it in the chat: `tomorrow 9:00`.
  when: textSchema(MAX_WHEN_LENGTH).optional(),
  quiet_when_nothing_new: z.boolean('must be true or false').optional(),
});

/** Adds the tasks of the user in all chats. They are made in the chats in which they run. */
export function addOwnTasks(server: FastifyInstance, { tasks, taskLedger, clock }: HttpServices): void {
  const find = async (request: FastifyRequest): Promise<StoredTask> => {
    const found = await tasks.find(toOwner(request), readId(idSchema, request));
    if (!found) throw unknownTask();
    return found;
  };
  server.get('/api/me/tasks', (request) => {
    const list = listByOffset(async (range) => {
      const { tasks: items, totalCount } = await tasks.list(toOwner(request), range);
      return { items, totalCount };
    });
    return sendPage(request, readQuery(listSchema, request), list, toTask);
  });
  server.get('/api/me/tasks/:id', async (request) => toTask(await find(request)));
  server.get('/api/me/tasks/:id/runs', async (request) => {
    const { id, owner } = await find(request);
    // The ledger notices the end of a run seconds later.
    await taskLedger.endSettledRuns();
    const list = listByOffset(async (range) => {
      const { runs: items, totalCount } = await tasks.listRuns(owner, id, range);
      return { items, totalCount };
    });
    return sendPage(request, readQuery(listSchema, request), list, toTaskRun);
  });
  server.patch('/api/me/tasks/:id', async (request): Promise<Task> => {
    const changes = await readBody(changesSchema, request);
    const task = await find(request);
    return toTask(getTask(await tasks.change(task.owner, task.id, toContent(changes, task, clock.now()))));
  });
  server.post('/api/me/tasks/:id/pause', async (request): Promise<Task> => {
    const { id, owner } = await find(request);
    return toTask(getTask(await tasks.pause(owner, id)));
  });
  server.post('/api/me/tasks/:id/resume', async (request): Promise<Task> => {
    const { id, owner } = await find(request);
    return toTask(getTask(await tasks.resume(owner, id)));
  });
  server.post('/api/me/tasks/:id/run', async (request, reply): Promise<TaskRun> => {
    const { id, owner } = await find(request);
    await taskLedger.endSettledRuns();
    const run = await tasks.runNow(owner, id);
    if (!run) throw unknownTask();
    if (run === 'running') throw toTaskError({ kind: 'running' });
    reply.code(202);
    return toTaskRun(run);
  });
  server.delete('/api/me/tasks/:id', async (request, reply) => {
    const { id, owner } = await find(request);
    if (!(await tasks.remove(owner, id))) throw unknownTask();
    return reply.code(204).send();
  });
}

function toOwner(request: FastifyRequest): TasksOfUser {
  return { userId: getSession(request).userId, hasAllChats: true };
}

type Changes = z.infer<typeof changesSchema>;

/** @throws HttpError 400 if the time can't be read or is in the past. */
function toContent({ text, when, quiet_when_nothing_new: isQuiet }: Changes, { times }: StoredTask, nowMs: number) {
  return {
    ...(text !== undefined && { prompt: text }),
    ...(when !== undefined && { times: readTimes(when, times.timeZone, nowMs) }),
    ...(isQuiet !== undefined && { quietWhenNothingNew: isQuiet }),
  } satisfies Partial<TaskContent>;
}

function readTimes(when: string, timeZone: string, nowMs: number): TaskContent['times'] {
  const parsed = parseWhen(when);
  if (!parsed) throw toTaskError({ kind: 'unknown-time' });
  const times = toTimes(parsed, { timeZone, nowMs });
  if (!times) throw toTaskError({ kind: 'past' });
  return times;
}

/** @throws HttpError if there is no task, or a change was refused. */
function getTask(changed: StoredTask | TaskRefusal | undefined): StoredTask {
  if (!changed) throw unknownTask();
  if (!('id' in changed)) throw toTaskError(changed);
  return changed;
}

function unknownTask() {
  return notFound('You have no task with this id.');
}

/** Creates the error for a task that can't be stored. Its code says why, for texts in other languages. */
function toTaskError(refusal: TaskRefusal | { readonly kind: 'unknown-time' | 'running' }): HttpError {
  const { code, message, status = 400, param } = describe(refusal);
  return new HttpError({ status, type: 'invalid_request_error', code, message, param });
}

interface Refusal {
  readonly code: string;
  readonly message: string;
  /** Default 400. */
  readonly status?: number;
  readonly param?: string;
}

const MINUTE_MS = 60_000;

function describe(refusal: Parameters<typeof toTaskError>[0]): Refusal {
  const param = 'when';
  switch (refusal.kind) {
    case 'unknown-time':
      return { code: 'unknown_time', param, message: "'when' must be a time such as 'tomorrow 9:00'." };
    case 'past':
    case 'never':
      return { code: 'past_time', param, message: 'This time is in the past.' };
    case 'too-far':
      return { code: 'distant_time', param, message: 'This time is too far in the future.' };
    case 'too-often': {
      const minutes = Math.ceil(refusal.shortestIntervalMs / MINUTE_MS);
      return { code: 'too_often', param, message: `This repeats too often: at most every ${minutes} minutes.` };
    }
    case 'invalid-times':
      return { code: 'invalid_time', param, message: `A task can't be repeated like this: ${refusal.detail}.` };
    case 'invalid-prompt':
      return {
        code: 'invalid_text',
        param: 'text',
        message: `'text' must not be empty, and have at most ${refusal.maxLength} characters.`,
      };
    case 'too-many':
      return { status: 409, code: 'too_many_tasks', message: `You have ${refusal.limit} active tasks, the maximum.` };
    case 'running':
      return { status: 409, code: 'running', message: 'This task is running already.' };
  }
}
