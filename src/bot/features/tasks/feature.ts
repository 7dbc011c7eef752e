import { Composer } from 'grammy';
import { z } from 'zod';
import { beginsLikeTime, NOTHING_NEW, parseReminder, toLocalTime, toTimes } from '../../../core/tasks/index.ts';
import type { Answer } from '../../answers/answer.ts';
import { findTimeZone } from '../../choices/time-zones.ts';
import { type CallbackActionsOf, onAction } from '../../kit/actions.ts';
import { isInChain } from '../../kit/chats.ts';
import type { BotContext } from '../../kit/context.ts';
import type { Feature, FeatureHandlers, PromptAddition } from '../../kit/feature.ts';
import type { BotServices } from '../../kit/services.ts';
import { showView } from '../../kit/views.ts';
import { findSeenTask, withOwnTask } from './own-task.ts';
import { createRunAnswers } from './run-answers.ts';
import { describeRefusal, findTaskPlace, scheduleTask, toScheduledView } from './schedule.ts';
import { createScheduleTool } from './schedule-tool.ts';
import { changeTextByText, changeTimeByText, createTaskChanges, toGoneAnswer } from './task-changes.ts';
import { createTaskTimeZone, setTaskTimeZoneByText } from './task-time-zone.ts';
import { createCancelTool, createListTool, formatForModel } from './task-tools.ts';
import { texts } from './texts.ts';
import { showRunMessage, toHistoryView, toTaskMenu, toTaskView } from './views.ts';

const task = { taskId: z.number() };
const page = { page: z.number() };

const actions = {
  'list-tasks': { fields: page },
  'show-task': { fields: task },
  'run-task': { fields: task },
  'pause-task': { fields: task },
  'resume-task': { fields: task },
  'change-task-text': { fields: task },
  'change-task-time': { fields: task },
  'set-task-quiet': { fields: { ...task, isQuiet: z.boolean() } },
  /** Asks for confirmation. */
  'delete-task': { fields: task },
  'delete-task-for-good': { fields: task },
  'list-task-runs': { fields: { ...task, ...page } },
  /** Leads to the message of a run. */
  'find-task-run': { fields: { ...task, questionId: z.number() } },
  'snooze-task': { fields: { ...task, minutes: z.number() } },
  'list-task-time-zones': { fields: task },
  'ask-task-time-zone': { fields: task },
  'select-task-time-zone': { fields: { ...task, timeZone: z.string() } },
};

declare module '../../kit/actions.ts' {
  interface FeatureActions extends CallbackActionsOf<typeof actions> {}
}
declare module '../../kit/dialogs.ts' {
  interface FeatureDialogs {
    'task-text': never;
    'task-time': never;
    'task-time-zone': never;
  }
}

/** `/tasks` and `/remind`: reminders, and questions that are asked at later times. Models schedule both with tools. */
export const tasks: Feature = {
  commands: [
    { name: 'tasks', menus: ['private', 'group'], describe: (locale) => texts[locale].command },
    { name: 'remind', menus: ['private', 'group'], describe: (locale) => texts[locale].remindCommand },
  ],
  actions,
  create: createHandlers,
};

function createHandlers(services: BotServices): FeatureHandlers {
  const composer = new Composer<BotContext>();
  composer.command('tasks', async (ctx) => showView(ctx, await toTaskMenu(services, ctx, 0)));
  composer.command('remind', (ctx) => remind(services, ctx, ctx.match));
  composer.use(
    onAction(services, 'list-tasks', (ctx, { page }) => ({
      afterwards: async () => showView(ctx, await toTaskMenu(services, ctx, page)),
    })),
    onAction(services, 'show-task', async (ctx, { taskId }) => {
      const task = await findSeenTask(services, ctx, taskId);
      if (!task) return toGoneAnswer(services, ctx);
      return { afterwards: async () => showView(ctx, await toTaskView(services, ctx, task)) };
    }),
    onAction(services, 'list-task-runs', (ctx, { taskId, page }) =>
      withOwnTask(services, ctx, taskId, (task) => ({
        afterwards: async () => {
          await services.taskLedger.endSettledRuns();
          await showView(ctx, await toHistoryView(services, ctx, task, page));
        },
      })),
    ),
    onAction(services, 'find-task-run', (ctx, { taskId, questionId }) =>
      withOwnTask(services, ctx, taskId, (task) => ({
        afterwards: () => showRunMessage(services, ctx, task, questionId),
      })),
    ),
    createTaskChanges(services),
    createTaskTimeZone(services),
  );
  return {
    middleware: composer,
    dialogs: {
      'task-text': (ctx, text, taskId) => changeTextByText(services, ctx, text, taskId),
      'task-time': (ctx, text, taskId) => changeTimeByText(services, ctx, text, taskId),
      'task-time-zone': (ctx, text, taskId) => setTaskTimeZoneByText(services, ctx, text, taskId),
    },
    ...createRunAnswers(services),
    tools: (answer) =>
      hasTasks(answer)
        ? [createScheduleTool(services, answer), createListTool(services, answer), createCancelTool(services, answer)]
        : [],
    instructions: async (answer) => {
      if (answer.question.extras.taskRun) return describeRun(services, answer);
      return hasTasks(answer) && canSchedule(services, answer) ? describeToday(services, answer) : undefined;
    },
  };
}

/**
 * Returns whether an answer may schedule tasks. Comments of a channel show only replies, and a task has nothing to reply
 * to. An admin can request another answer to a question of another user, whose words must not schedule tasks of the admin.
 */
function hasTasks({ context: { group, isInChain, isGroup, user }, question }: Answer): boolean {
  const isAuthor = question.userId === undefined || question.userId === user.id;
  return isAuthor && group?.settings.hasTasks !== false && !(isGroup && isInChain);
}

function canSchedule({ toolbox }: BotServices, { context: { user, model } }: Answer): boolean {
  return toolbox.hasBuiltIn('schedule_task') && user.settings.hasTools !== false && model.acceptsTools !== false;
}

/** `/remind 20m tea`: sets a reminder without a model. */
async function remind(services: BotServices, ctx: BotContext, text: string): Promise<void> {
  const words = texts[ctx.locale];
  const place = findTaskPlace(ctx);
  if (!ctx.msg || !place) return;
  if (ctx.group?.settings.hasTasks === false) return void (await ctx.reply(words.problems.off));
  if (isInChain(ctx.msg) && place.isGroup) return void (await ctx.reply(words.problems.comments));
  const parsed = parseReminder(text);
  if (!parsed || parsed.rest === '') return void (await ctx.reply(explain(ctx, text, parsed !== undefined)));
  const zone = findTimeZone(place.user.settings, place.language);
  const times = toTimes(parsed.when, { timeZone: zone.timeZone, nowMs: services.clock.now() });
  if (!times) return void (await ctx.reply(words.problems.past));
  const content = { kind: 'reminder', prompt: parsed.rest, times, quietWhenNothingNew: false } as const;
  const scheduled = await scheduleTask(services, place, content);
  if (!('task' in scheduled)) return void (await ctx.reply(describeRefusal(ctx.locale, scheduled)));
  await showView(ctx, await toScheduledView(services, place, scheduled.task, zone));
}

function explain({ locale }: BotContext, text: string, hasTime: boolean): string {
  const { howToRemind, noText, unknownTime } = texts[locale];
  if (hasTime) return `${noText}\n\n${howToRemind}`;
  return beginsLikeTime(text) ? `${unknownTime}\n\n${howToRemind}` : howToRemind;
}

/**
 * Tells the model the user's date and time zone, for `schedule_task`. The time of day is left out: the prompt stays the
 * same for a day, so that providers can cache it.
 */
function describeToday({ clock }: BotServices, answer: Answer): PromptAddition {
  const { timeZone } = findTimeZone(answer.context.user.settings, answer.context.language);
  const nowMs = clock.now();
  const weekday = new Intl.DateTimeFormat('en', { weekday: 'long', timeZone }).format(nowMs);
  return {
    text: `Today is ${weekday}, ${toLocalTime(nowMs, timeZone).slice(0, 10)}. The user's time zone is ${timeZone}.`,
  };
}

/**
 * Tells the model that its question is a task. It counts as text of others, because the user does not watch: tools ask
 * before they change something.
 */
function describeRun({ clock }: BotServices, { question: { extras } }: Answer): PromptAddition | undefined {
  const run = extras.taskRun;
  if (!run) return undefined;
  const dueAt = formatForModel(Date.parse(run.dueAt), run.timeZone);
  const sentences = [
    `The user's last message is a task that the user scheduled earlier. It was due ${dueAt}; it is ${formatForModel(clock.now(), run.timeZone)} now.`,
    'Do it now and send the result. Do not ask questions, do not schedule it again, and do not repeat earlier results.',
    ...(run.missedCount > 0
      ? [`This run stands for ${run.missedCount + 1} due times, because the service was down.`]
      : []),
    ...(run.isQuiet
      ? [
          `If there is nothing new since the earlier results, answer with ${NOTHING_NEW} and nothing else: then no message is sent.`,
        ]
      : []),
  ];
  return { text: sentences.join(' '), hasForeignText: true };
}
