import { Composer } from 'grammy';
import { parseWhen, type Task, type TaskRefusal, toTimeAfter, toTimes } from '../../../core/tasks/index.ts';
import { formatTime } from '../../../texts/moment.ts';
import { type ActionAnswer, onAction } from '../../kit/actions.ts';
import type { BotContext } from '../../kit/context.ts';
import { beginDialog, type DialogSubject } from '../../kit/dialogs.ts';
import type { BotServices } from '../../kit/services.ts';
import { showView } from '../../kit/views.ts';
import { findSeenTask, toTaskOwner, withOwnTask } from './own-task.ts';
import { describeRefusal } from './schedule.ts';
import { texts } from './texts.ts';
import { toDeletionView, toTaskMenu, toTaskView } from './views.ts';

/** Buttons below a task that change it or start it. */
export function createTaskChanges(services: BotServices): Composer<BotContext> {
  const { tasks } = services;
  const composer = new Composer<BotContext>();
  composer.use(
    onAction(services, 'run-task', (ctx, { taskId }) =>
      withOwnTask(services, ctx, taskId, (task) => runNow(services, ctx, task)),
    ),
    onAction(services, 'pause-task', (ctx, { taskId }) =>
      withOwnTask(services, ctx, taskId, async (task) =>
        show(services, ctx, await tasks.pause(task.owner, taskId), texts[ctx.locale].isPaused),
      ),
    ),
    onAction(services, 'resume-task', (ctx, { taskId }) =>
      withOwnTask(services, ctx, taskId, async (task) =>
        show(services, ctx, await tasks.resume(task.owner, taskId), texts[ctx.locale].isResumed),
      ),
    ),
    onAction(services, 'set-task-quiet', (ctx, { taskId, isQuiet }) =>
      withOwnTask(services, ctx, taskId, async (task) => {
        const changed = await tasks.change(task.owner, taskId, { quietWhenNothingNew: isQuiet });
        return show(services, ctx, changed, texts[ctx.locale].changed);
      }),
    ),
    onAction(services, 'snooze-task', (ctx, { taskId, minutes }) =>
      withOwnTask(services, ctx, taskId, (task) => snooze(services, ctx, task, minutes)),
    ),
  );
  composer.use(
    onAction(services, 'change-task-text', (ctx, { taskId }) =>
      withOwnTask(services, ctx, taskId, () => ({
        afterwards: () => beginDialog(services, ctx, 'task-text', texts[ctx.locale].askText, taskId),
      })),
    ),
    onAction(services, 'change-task-time', (ctx, { taskId }) =>
      withOwnTask(services, ctx, taskId, () => ({
        afterwards: () => beginDialog(services, ctx, 'task-time', texts[ctx.locale].askTime, taskId),
      })),
    ),
    onAction(services, 'delete-task', async (ctx, { taskId }) => {
      const task = await findSeenTask(services, ctx, taskId);
      if (!task) return toGoneAnswer(services, ctx);
      return { afterwards: async () => showView(ctx, await toDeletionView(services, ctx, task)) };
    }),
    onAction(services, 'delete-task-for-good', async (ctx, { taskId }) => {
      const task = await findSeenTask(services, ctx, taskId);
      if (!task || !(await tasks.remove(task.owner, taskId))) return toGoneAnswer(services, ctx);
      services.logger.info({ userId: ctx.user.id, taskId }, 'task deleted');
      return { afterwards: async () => showView(ctx, await toTaskMenu(services, ctx, 0, texts[ctx.locale].deleted)) };
    }),
  );
  return composer;
}

/** Sets the text that the user has sent. */
export async function changeTextByText(services: BotServices, ctx: BotContext, text: string, taskId: DialogSubject) {
  const task = await findSubject(services, ctx, taskId);
  if (!task) return void (await ctx.reply(texts[ctx.locale].gone));
  await reply(services, ctx, task, await services.tasks.change(task.owner, task.id, { prompt: text }), 'task-text');
}

/** Sets the time that the user has sent. */
export async function changeTimeByText(services: BotServices, ctx: BotContext, text: string, taskId: DialogSubject) {
  const words = texts[ctx.locale];
  const task = await findSubject(services, ctx, taskId);
  if (!task) return void (await ctx.reply(words.gone));
  const when = parseWhen(text);
  if (!when) return beginDialog(services, ctx, 'task-time', `${words.unknownTime} ${words.askTime}`, task.id);
  const times = toTimes(when, { timeZone: task.times.timeZone, nowMs: services.clock.now() });
  const changed = times ? await services.tasks.change(task.owner, task.id, { times }) : ({ kind: 'past' } as const);
  await reply(services, ctx, task, changed, 'task-time');
}

/** Returns the notice for a task that was deleted, and shows the list. */
export function toGoneAnswer(services: BotServices, ctx: BotContext): ActionAnswer {
  return {
    hint: texts[ctx.locale].gone,
    afterwards: async () => showView(ctx, await toTaskMenu(services, ctx, 0)),
  };
}

async function findSubject({ tasks }: BotServices, ctx: BotContext, taskId: DialogSubject): Promise<Task | undefined> {
  return typeof taskId === 'number' ? tasks.find(toTaskOwner(ctx), taskId) : undefined;
}

/** Shows the changed task, or asks again for what can't be used. */
async function reply(
  services: BotServices,
  ctx: BotContext,
  task: Task,
  changed: Task | TaskRefusal | undefined,
  purpose: 'task-text' | 'task-time',
): Promise<void> {
  const words = texts[ctx.locale];
  if (!changed) return void (await ctx.reply(words.gone));
  if (isTask(changed)) return showView(ctx, await toTaskView(services, ctx, changed, words.changed));
  await beginDialog(services, ctx, purpose, describeRefusal(ctx.locale, changed), task.id);
}

async function runNow(services: BotServices, ctx: BotContext, task: Task): Promise<ActionAnswer> {
  const words = texts[ctx.locale];
  // The ledger notices the end of a run seconds later.
  await services.taskLedger.endSettledRuns();
  const run = await services.tasks.runNow(task.owner, task.id);
  if (!run) return toGoneAnswer(services, ctx);
  return { hint: run === 'running' ? words.isRunning : words.starts };
}

/** Adds a reminder with the same text. */
async function snooze(services: BotServices, ctx: BotContext, task: Task, minutes: number): Promise<ActionAnswer> {
  const { timeZone } = task.times;
  const times = { kind: 'once', at: toTimeAfter(services.clock.now(), minutes), timeZone } as const;
  const { kind, prompt, topicId, language, hasForeignText, owner } = task;
  const snoozed = await services.tasks.create(owner, {
    kind,
    prompt,
    topicId,
    language,
    hasForeignText,
    times,
    quietWhenNothingNew: false,
  });
  if (!isTask(snoozed)) return { hint: describeRefusal(ctx.locale, snoozed), isAlert: true };
  const time = formatTime(ctx.locale, times.at.getTime(), services.clock.now(), timeZone);
  const removeButtons = () => ctx.editMessageReplyMarkup().catch(() => {});
  return { hint: texts[ctx.locale].snoozed(time), afterwards: removeButtons };
}

function show(
  services: BotServices,
  ctx: BotContext,
  changed: Task | TaskRefusal | undefined,
  hint: string,
): ActionAnswer {
  if (!changed) return toGoneAnswer(services, ctx);
  if (!isTask(changed)) return { hint: describeRefusal(ctx.locale, changed), isAlert: true };
  return { hint, afterwards: async () => showView(ctx, await toTaskView(services, ctx, changed)) };
}

function isTask(changed: Task | TaskRefusal): changed is Task {
  return 'id' in changed;
}
