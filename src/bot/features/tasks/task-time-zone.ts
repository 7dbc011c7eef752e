import { Composer } from 'grammy';
import { isTimeAfter, type Task, type TaskTimes, toInstant, toLocalTime } from '../../../core/tasks/index.ts';
import { findTimeZones, USUAL_TIME_ZONES } from '../../choices/time-zones.ts';
import { onAction } from '../../kit/actions.ts';
import type { BotContext } from '../../kit/context.ts';
import { beginDialog, type DialogSubject } from '../../kit/dialogs.ts';
import { type ActionButton, storeKeyboard, toButtonTarget } from '../../kit/keyboards.ts';
import type { BotServices } from '../../kit/services.ts';
import { showView } from '../../kit/views.ts';
import { toTaskOwner, withOwnTask } from './own-task.ts';
import { texts } from './texts.ts';
import { describeTask } from './views.ts';

/** Asks for the time zone when the first task is made, and applies it to the task. */
export function createTaskTimeZone(services: BotServices): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  composer.use(
    onAction(services, 'list-task-time-zones', (ctx, { taskId }) =>
      withOwnTask(services, ctx, taskId, () => ({
        afterwards: () => showTimeZones(services, ctx, taskId, texts[ctx.locale].askZone, USUAL_TIME_ZONES[ctx.locale]),
      })),
    ),
    onAction(services, 'ask-task-time-zone', (ctx, { taskId }) =>
      withOwnTask(services, ctx, taskId, () => ({
        afterwards: () => beginDialog(services, ctx, 'task-time-zone', texts[ctx.locale].askCity, taskId),
      })),
    ),
    onAction(services, 'select-task-time-zone', (ctx, { taskId, timeZone }) =>
      withOwnTask(services, ctx, taskId, (task) => {
        if (findTimeZones(timeZone)[0] !== timeZone) return { hint: ctx.texts.staleButton };
        return { afterwards: () => setTimeZone(services, ctx, task, timeZone) };
      }),
    ),
  );
  return composer;
}

/** Sets the time zone of a city or name that the user has sent, or offers those that it may mean. */
export async function setTaskTimeZoneByText(
  services: BotServices,
  ctx: BotContext,
  text: string,
  taskId: DialogSubject,
) {
  const words = texts[ctx.locale];
  const task = typeof taskId === 'number' ? await services.tasks.find(toTaskOwner(ctx), taskId) : undefined;
  if (!task) return void (await ctx.reply(words.gone));
  const [first, ...others] = findTimeZones(text);
  if (first === undefined) return beginDialog(services, ctx, 'task-time-zone', words.unknownCity, task.id);
  if (others.length > 0) return showTimeZones(services, ctx, task.id, words.askZone, [first, ...others]);
  await setTimeZone(services, ctx, task, first);
}

async function showTimeZones(
  services: BotServices,
  ctx: BotContext,
  taskId: number,
  text: string,
  names: readonly string[],
): Promise<void> {
  const toRow = (timeZone: string): ActionButton[] => [
    { text: timeZone, action: { kind: 'select-task-time-zone', taskId, timeZone } },
  ];
  const keyboard = await storeKeyboard(services, toButtonTarget(ctx), [
    ...names.map(toRow),
    [{ text: texts[ctx.locale].buttons.otherCity, action: { kind: 'ask-task-time-zone', taskId } }],
  ]);
  await showView(ctx, { text, keyboard });
}

/** The user's tasks keep the times that clocks show, except those that were given in minutes from their creation. */
async function setTimeZone(services: BotServices, ctx: BotContext, task: Task, timeZone: string): Promise<void> {
  const { user } = ctx;
  const from = task.times.timeZone;
  ctx.user = await services.accounts.updateSettings(user.id, { timeZone });
  if (from !== timeZone) {
    await services.tasks.changeTimeZone(user.id, { from, to: timeZone });
    if (task.times.kind === 'once')
      await services.tasks.change(task.owner, task.id, { times: moveOnce(task.times, timeZone) });
  }
  const moved = await services.tasks.find(toTaskOwner(ctx), task.id);
  if (!moved) return;
  const { buttons, kinds, zoneSet } = texts[ctx.locale];
  const toTask: ActionButton = { text: buttons.toTask, action: { kind: 'show-task', taskId: moved.id } };
  const keyboard = await storeKeyboard(services, toButtonTarget(ctx), [[toTask]]);
  const notes = { kind: kinds[moved.kind], news: zoneSet(timeZone) };
  await showView(ctx, { ...describeTask(services, ctx.locale, moved, notes), keyboard });
}

function moveOnce(times: Extract<TaskTimes, { readonly kind: 'once' }>, timeZone: string): TaskTimes {
  const localTime = toLocalTime(times.at.getTime(), times.timeZone);
  return { kind: 'once', timeZone, at: isTimeAfter(times.at) ? times.at : new Date(toInstant(localTime, timeZone)) };
}
