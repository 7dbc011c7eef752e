import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import {
  MAX_PROMPT_LENGTH,
  parseWhen,
  type Task as StoredTask,
  type TaskContent,
  type TaskRefusal,
  type TasksOfUser,
  toTimes,
} from '../../core/tasks/index.ts';
import { listByOffset, pageShape, sendPage } from '../resources/paged-list.ts';
import { idSchema, readBody, readId, readQuery, textSchema } from '../resources/query.ts';
import { HttpError, notFound } from '../server/http-error.ts';
import type { HttpServices } from '../services.ts';
import { getSession } from './authenticate-session.ts';
import { type Task, type TaskRun, toTask, toTaskRun } from './task-fields.ts';

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
