import type { Task } from '../../../core/tasks/index.ts';
import type { BotContext } from '../../kit/context.ts';
import { type ActionButton, loadPagedRows, storeKeyboard, toButtonTarget } from '../../kit/keyboards.ts';
import type { BotServices } from '../../kit/services.ts';
import type { View } from '../../kit/views.ts';
import { formatTime } from '../../texts/moment.ts';
import { toSeenTasks } from './own-task.ts';
import { toTaskName } from './task-name.ts';
import { texts } from './texts.ts';

const TASKS_PER_PAGE = 8;

/** Returns one page of the tasks that the user sees in this chat. Beyond the last page, returns the last one. */
export async function toTaskMenu(
  services: BotServices,
  ctx: BotContext,
  wantedPage: number,
  news?: string,
): Promise<View> {
  const words = texts[ctx.locale];
  const seen = await toSeenTasks(ctx);
  const { tasks, totalCount, pagerRow } = await loadPagedRows(
    wantedPage,
    TASKS_PER_PAGE,
    (range) => services.tasks.list(seen, range),
    (page) => ({ kind: 'list-tasks', page }),
  );
  const isOfAll = !('userId' in seen);
  const heading = totalCount === 0 ? words.empty : (isOfAll ? words.headingOfGroup : words.heading)(totalCount);
  const keyboard = await storeKeyboard(services, toButtonTarget(ctx), [
    ...tasks.map((task) => [toTaskButton(services, ctx, task)]),
    pagerRow,
    [{ text: ctx.texts.buttons.close, action: { kind: 'close-menu' } }],
  ]);
  return { text: news === undefined ? heading : `${news}\n\n${heading}`, keyboard };
}

const SIGNS = { active: '⏰', paused: '⏸', ended: '✔️' } as const;

function toTaskButton({ clock }: BotServices, { locale }: BotContext, task: Task): ActionButton {
  const { state, times } = task;
  const next =
    state.kind === 'active' ? ` · ${formatTime(locale, state.nextDueAt.getTime(), clock.now(), times.timeZone)}` : '';
  const text = `${SIGNS[state.kind]} ${toTaskName(task)}${next}`;
  return { text, action: { kind: 'show-task', taskId: task.id } };
}
