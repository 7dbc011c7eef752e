import type { Task, TaskTimes } from '../../../core/tasks/index.ts';
import { shorten } from '../../../lib/shorten.ts';
import type { BotContext } from '../../kit/context.ts';
import { type ActionButton, storeKeyboard, toButtonTarget } from '../../kit/keyboards.ts';
import { toFullName } from '../../kit/names.ts';
import type { BotServices } from '../../kit/services.ts';
import type { View } from '../../kit/views.ts';
import { describeTimes } from '../../texts/describe-times.ts';
import type { Locale } from '../../texts/locales.ts';
import { formatTime } from '../../texts/moment.ts';
import { texts } from './texts.ts';

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
