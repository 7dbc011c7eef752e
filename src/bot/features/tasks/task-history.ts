import type { Task, TaskRun } from '../../../core/tasks/index.ts';
import type { BotContext } from '../../kit/context.ts';
import { type KeyboardButton, loadPagedRows, storeKeyboard, toButtonTarget, toPairs } from '../../kit/keyboards.ts';
import type { BotServices } from '../../kit/services.ts';
import { showMessage, type View } from '../../kit/views.ts';
import { formatTime } from '../../texts/moment.ts';
import { toTaskName } from './task-name.ts';
import { texts } from './texts.ts';

const RUNS_PER_PAGE = 8;

/** Returns the runs of a task, the newest first, with a button that leads to the message of each. */
export async function toHistoryView(
  services: BotServices,
  ctx: BotContext,
  task: Task,
  wantedPage: number,
): Promise<View> {
  const words = texts[ctx.locale];
  const taskId = task.id;
  const { page, runs, totalCount, pagerRow } = await loadPagedRows(
    wantedPage,
    RUNS_PER_PAGE,
    (range) => services.tasks.listRuns(task.owner, taskId, range),
    (to) => ({ kind: 'list-task-runs', taskId, page: to }),
  );
  const offset = page * RUNS_PER_PAGE;
  const toLine = (run: TaskRun, index: number) => `${offset + index + 1}. ${describeRun(services, ctx, task, run)}`;
  const heading = totalCount === 0 ? words.noRuns : words.history(toTaskName(task));
  const keyboard = await storeKeyboard(services, toButtonTarget(ctx), [
    ...toPairs(runs.flatMap((run, index) => toRunButton(run, offset + index + 1))),
    pagerRow,
    [{ text: ctx.texts.buttons.back, action: { kind: 'show-task', taskId } }],
  ]);
  return { text: [heading, ...runs.map(toLine)].join('\n'), keyboard };
}

function describeRun({ clock }: BotServices, { locale }: BotContext, { times }: Task, run: TaskRun): string {
  const words = texts[locale];
  const time = formatTime(locale, run.dueAt.getTime(), clock.now(), times.timeZone);
  const state = words.runStates[run.state === 'done' && run.isQuiet ? 'quiet' : run.state];
  const details = [
    ...(run.reason === undefined ? [] : [words.reasons[run.reason]]),
    ...(run.isManual ? [words.byHand] : []),
    ...(run.missedCount > 0 ? [words.missed(run.missedCount)] : []),
  ];
  return `${time}: ${[state, ...details].join(', ')}`;
}

function toRunButton({ taskId, questionId, isQuiet }: TaskRun, number: number): readonly KeyboardButton[] {
  if (questionId === undefined || isQuiet) return [];
  return [{ text: `↩︎ ${number}`, action: { kind: 'find-task-run', taskId, questionId } }];
}

/** Leads to the message of a run. */
export async function showRunMessage(services: BotServices, ctx: BotContext, task: Task, questionId: number) {
  const words = texts[ctx.locale];
  const messageId = await findRunMessage(services, ctx, task, questionId);
  const isShown = messageId !== undefined && (await showMessage(ctx, messageId, words.hereItIs));
  if (!isShown) await ctx.reply(words.messageGone);
}

/** Returns the first message of the answer to the question of a run. */
async function findRunMessage(
  { conversations }: BotServices,
  { chatId }: BotContext,
  task: Task,
  questionId: number,
): Promise<number | undefined> {
  const question = await conversations.findMessage(questionId);
  if (question?.extras.taskRun?.taskId !== task.id || chatId === undefined) return undefined;
  const answerId = await conversations.findNewestReply(questionId);
  return answerId === undefined ? undefined : (await conversations.listShownIn({ answerId, chatId }))[0];
}
