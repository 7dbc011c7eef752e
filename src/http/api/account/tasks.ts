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
} from '../../../core/tasks/index.ts';
import { notFound } from '../../http-error.ts';
import type { HttpServices } from '../../services.ts';
import {
  idSchema,
  listByOffset,
  pageShape,
  readBody,
  readId,
  readQuery,
  sendPage,
  textSchema,
} from '../resources/query.ts';
import { getSession } from './authenticate-session.ts';
import { type Task, type TaskRun, toTask, toTaskRun } from './task-fields.ts';
import { toTaskError } from './task-refusal.ts';

const MAX_WHEN_LENGTH = 100;

const listSchema = z.strictObject(pageShape);
const changesSchema = z.strictObject({
  text: textSchema(MAX_PROMPT_LENGTH).optional(),
  // As users write it in the chat: `tomorrow 9:00`.
  when: textSchema(MAX_WHEN_LENGTH).optional(),
  quiet_when_nothing_new: z.boolean('must be true or false').optional(),
});
type Changes = z.infer<typeof changesSchema>;

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
