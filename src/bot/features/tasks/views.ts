import type { Task, TaskRun, TaskTimes } from '../../../core/tasks/index.ts';
import { shorten, toOneLine } from '../../../lib/text.ts';
import { describeTimes } from '../../../texts/describe-times.ts';
import { formatTime } from '../../../texts/moment.ts';
import type { BotContext } from '../../kit/context.ts';
import {
  type ActionButton,
  type KeyboardButton,
  loadPagedRows,
  storeKeyboard,
  toButtonTarget,
  toPairs,
} from '../../kit/keyboards.ts';
import { toFullName } from '../../kit/names.ts';
import type { BotServices } from '../../kit/services.ts';
import { showMessage, type View } from '../../kit/views.ts';
import type { Locale } from '../../texts/locales.ts';
import { toSeenTasks } from './own-task.ts';
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

const MAX_PROMPT_CHARACTERS = 800;

/**
 * Returns a task with the buttons for its user. Admins of a group may delete the tasks of others.
 * @param news sentence about what has just happened.
 */
export async function toTaskView(services: BotServices, ctx: BotContext, task: Task, news?: string): Promise<View> {
  const isOwn = task.owner.userId === ctx.user.id;
  const maker = isOwn ? undefined : await findName(services, ctx, task.owner.userId);
  const rows = isOwn ? toOwnRows(ctx, task) : [[toDeleteButton(ctx, task)]];
  const back: ActionButton = { text: ctx.texts.buttons.back, action: { kind: 'list-tasks', page: 0 } };
  const keyboard = await storeKeyboard(services, toButtonTarget(ctx), [...rows, [back]]);
  const notes = { kind: texts[ctx.locale].kinds[task.kind], maker, news };
  return { ...describeTask(services, ctx.locale, task, notes), keyboard };
}

/** Lines that are added to the facts about a task. */
interface TaskNotes {
  readonly kind?: string | undefined;
  readonly maker?: string | undefined;
  readonly news?: string | undefined;
}

/** Returns the facts about a task. */
export function describeTask(
  { clock }: BotServices,
  locale: Locale,
  task: Task,
  { kind, maker, news }: TaskNotes = {},
): Pick<View, 'text' | 'entities'> {
  const words = texts[locale];
  const prompt = shorten(task.prompt, MAX_PROMPT_CHARACTERS);
  const isOnce = task.times.kind === 'once' && task.state.kind === 'active';
  const facts = [
    ...(kind === undefined ? [] : [kind]),
    ...(maker === undefined ? [] : [words.of(maker)]),
    ...(isOnce ? [] : [describeTimes(locale, task.times)]),
    describeState(locale, task, clock.now()),
    ...(task.quietWhenNothingNew ? [words.quiet] : []),
    ...(news === undefined ? [] : ['', news]),
  ];
  const text = [prompt, '', ...facts].join('\n');
  return { text, entities: [{ type: 'blockquote', offset: 0, length: prompt.length }] };
}

/** Asks the user to confirm the deletion. */
export async function toDeletionView(services: BotServices, ctx: BotContext, task: Task): Promise<View> {
  const words = texts[ctx.locale];
  const keyboard = await storeKeyboard(services, toButtonTarget(ctx), [
    [
      { text: words.buttons.deleteForGood, action: { kind: 'delete-task-for-good', taskId: task.id } },
      { text: words.buttons.keep, action: { kind: 'show-task', taskId: task.id } },
    ],
  ]);
  const notes = { kind: words.kinds[task.kind], news: words.askDeletion };
  return { ...describeTask(services, ctx.locale, task, notes), keyboard };
}

/** Returns the time of the next run with its time zone, or why there is none. */
function describeState(locale: Locale, { state, times }: Pick<Task, 'state' | 'times'>, nowMs: number): string {
  const words = texts[locale];
  if (state.kind === 'paused') return words.paused[state.reason];
  if (state.kind === 'ended') return words.ended;
  const time = formatTime(locale, state.nextDueAt.getTime(), nowMs, times.timeZone);
  return (times.kind === 'once' ? words.when : words.next)(time, times.timeZone);
}

/** Returns the present in the time zone of a task, as users read it. */
export function formatNow(locale: Locale, nowMs: number, { timeZone }: Pick<TaskTimes, 'timeZone'>): string {
  return formatTime(locale, nowMs, nowMs, timeZone);
}

function toOwnRows(ctx: BotContext, task: Task): readonly (readonly ActionButton[])[] {
  const { buttons } = texts[ctx.locale];
  const taskId = { taskId: task.id };
  const { quietWhenNothingNew: isQuiet, state } = task;
  const pause: ActionButton = { text: buttons.pause, action: { kind: 'pause-task', ...taskId } };
  const resume: ActionButton = { text: buttons.resume, action: { kind: 'resume-task', ...taskId } };
  return [
    [
      { text: buttons.runNow, action: { kind: 'run-task', ...taskId } },
      ...(state.kind === 'active' ? [pause] : state.kind === 'paused' ? [resume] : []),
    ],
    [
      { text: buttons.changeText, action: { kind: 'change-task-text', ...taskId } },
      { text: buttons.changeTime, action: { kind: 'change-task-time', ...taskId } },
    ],
    task.kind === 'question'
      ? [
          {
            text: isQuiet ? buttons.beLoud : buttons.beQuiet,
            action: { kind: 'set-task-quiet', ...taskId, isQuiet: !isQuiet },
          },
        ]
      : [],
    [{ text: buttons.history, action: { kind: 'list-task-runs', ...taskId, page: 0 } }, toDeleteButton(ctx, task)],
  ];
}

function toDeleteButton({ locale }: BotContext, { id }: Task): ActionButton {
  return { text: texts[locale].buttons.delete, action: { kind: 'delete-task', taskId: id } };
}

/** Returns the name of a member of the group; undefined if Telegram does not tell it. */
async function findName({ accounts }: BotServices, ctx: BotContext, userId: number): Promise<string | undefined> {
  const telegramId = (await accounts.findUser(userId))?.telegramId;
  if (telegramId === undefined) return undefined;
  const member = await ctx.getChatMember(telegramId).catch(() => undefined);
  return member && toFullName(member.user);
}

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

const MAX_NAME_CHARACTERS = 40;

/** Returns the beginning of a task's text, in one line. */
export function toTaskName({ prompt }: { readonly prompt: string }): string {
  return shorten(toOneLine(prompt), MAX_NAME_CHARACTERS);
}
