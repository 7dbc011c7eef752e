import { type TaskContent, type TaskTimes, toInstant, toLocalTime, toTimeAfter } from '../../../core/tasks/index.ts';
import { ToolError, type ToolQuestion } from '../../../core/tools/index.ts';
import type { JsonObject } from '../../../lib/json/json.ts';
import { describeTimes } from '../../../texts/describe-times.ts';
import type { Locale } from '../../../texts/locale.ts';
import { formatTime } from '../../../texts/moment.ts';
import type { Answer } from '../../answers/answer.ts';
import { findTimeZone } from '../../choices/time-zones.ts';
import type { FeatureTool } from '../../kit/feature.ts';
import type { BotServices } from '../../kit/services.ts';
import { addContext } from '../../prompt/answer-request.ts';
import { describeRefusalForModel, scheduleTask, toScheduledView, toTaskPlace } from './schedule.ts';
import { describeForModel, formatForModel } from './task-tools.ts';
import { texts } from './texts.ts';

const MAX_CALLS = 8;

/**
 * Creates the tool that schedules reminders and questions for the user who asks, in the same chat and topic. The chat
 * shows each new task with its time, so that the user does not depend on the model's words.
 */
export function createScheduleTool(services: BotServices, answer: Answer): FeatureTool {
  const place = toTaskPlace(answer);
  const { timeZone, isGuessed } = findTimeZone(place.user.settings, place.language);
  return {
    name: 'schedule_task',
    description:
      'Schedules a reminder or a task for the user. Call it whenever the user wants to be reminded, or wants something done ' +
      'later or regularly. Times are local times of the user. The chat shows the user a confirmation; afterwards say in one ' +
      'short sentence when it will happen.',
    parameters: {
      type: 'object',
      properties: {
        kind: {
          type: 'string',
          enum: ['reminder', 'question'],
          description:
            'reminder: the text is sent to the user as it is. question: you will get the text as a request at that time and ' +
            'answer it with your tools, such as news, weather or a summary.',
        },
        text: {
          type: 'string',
          description:
            'For a reminder the words to the user, without the time. For a question a complete request that is understandable ' +
            'without this conversation. In the language of the user.',
        },
        in_minutes: { type: 'integer', minimum: 1, description: 'Minutes from now, for times such as "in 2 hours".' },
        at: {
          type: 'string',
          description: 'Local date and time such as 2026-12-31T18:30. With rrule: the first time. Not with in_minutes.',
        },
        rrule: {
          type: 'string',
          description:
            'Only for repeated tasks: a rule of RFC 5545 without DTSTART, such as FREQ=DAILY or ' +
            'FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR. The time of day comes from at. The last day of each month is ' +
            'FREQ=MONTHLY;BYMONTHDAY=-1; a task on the 31st skips shorter months.',
        },
        quiet: {
          type: 'boolean',
          description: 'For repeated questions: true if the user wants a message only when there is something new.',
        },
      },
      required: ['kind', 'text'],
    },
    permission: 'after-foreign-text',
    asksEachTime: true,
    toQuestion(parameters) {
      const present = { timeZone, nowMs: services.clock.now() };
      return toScheduleQuestion(answer.context.texts.locale, parameters, present, () => toTimes(parameters, present));
    },
    activity: 'other',
    maxCalls: MAX_CALLS,
    async run(parameters, { hasForeignText }) {
      const { kind, text, quiet } = parameters;
      if (kind !== 'reminder' && kind !== 'question') throw new ToolError('kind must be reminder or question');
      if (typeof text !== 'string' || text.trim() === '') throw new ToolError('the text is missing');
      const times = toTimes(parameters, { timeZone, nowMs: services.clock.now() });
      const content: TaskContent = {
        kind,
        prompt: text.trim(),
        times,
        quietWhenNothingNew: quiet === true || quiet === 'true',
      };
      const scheduled = await scheduleTask(services, place, { ...content, hasForeignText });
      if (!('task' in scheduled))
        throw new ToolError(
          `${describeRefusalForModel(scheduled)}; it is ${formatForModel(services.clock.now(), timeZone)} now`,
        );
      const { task, isNew } = scheduled;
      if (!isNew) return `This task exists already: ${describeForModel(task)}.`;
      await addContext(
        services,
        { chatTopic: place.chatTopic, replyToMessageId: answer.replyTo },
        await toScheduledView(services, place, task, { timeZone, isGuessed }),
      );
      const guess = isGuessed ? ' This time zone is a guess; the chat asks the user whether it is right.' : '';
      return `Scheduled: ${describeForModel(task)}.${guess} It is ${formatForModel(services.clock.now(), timeZone)} now.`;
    },
  };
}

interface Present {
  readonly timeZone: string;
  readonly nowMs: number;
}

const MAX_MINUTES = 5 * 366 * 1440;

/** @throws ToolError that says what to change. */
function toTimes({ at, in_minutes: inMinutes, rrule }: JsonObject, { timeZone, nowMs }: Present): TaskTimes {
  const rule = typeof rrule === 'string' && rrule.trim() !== '' ? rrule.trim() : undefined;
  const localTime = typeof at === 'string' && at.trim() !== '' ? toLocalMinute(at.trim()) : undefined;
  if (rule !== undefined) {
    if (localTime === undefined)
      throw new ToolError('a repeated task needs at: the local date and time of the first run');
    return { kind: 'repeated', rule, startsAt: localTime, timeZone };
  }
  if (localTime !== undefined) return { kind: 'once', at: new Date(toInstantOf(localTime, timeZone)), timeZone };
  // Some models write numbers as text.
  const minutes = typeof inMinutes === 'string' && inMinutes.trim() !== '' ? Number(inMinutes) : inMinutes;
  if (typeof minutes !== 'number' || !Number.isFinite(minutes) || minutes <= 0 || minutes > MAX_MINUTES)
    throw new ToolError(`give at (local date and time; it is ${toLocalTime(nowMs, timeZone)} now) or in_minutes`);
  return { kind: 'once', at: toTimeAfter(nowMs, minutes), timeZone };
}

const LOCAL_TIME = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2})?$/;

function toLocalMinute(text: string): string {
  if (!LOCAL_TIME.test(text))
    throw new ToolError('at must be a local date and time such as 2026-12-31T18:30, without an offset');
  return text.slice(0, 16).replace(' ', 'T');
}

function toInstantOf(localTime: string, timeZone: string): number {
  try {
    return toInstant(localTime, timeZone);
  } catch {
    throw new ToolError('at is not a date and time that exists');
  }
}

/**
 * Returns the question whether a model may schedule this.
 * @param findTimes returns the times that the parameters mean; if it throws, the parameters are shown as they are.
 */
function toScheduleQuestion(
  locale: Locale,
  parameters: JsonObject,
  present: { readonly nowMs: number },
  findTimes: () => TaskTimes,
): ToolQuestion {
  const { reminder, question, quiet } = texts[locale].permission;
  const { kind, text, quiet: isQuiet } = parameters;
  return {
    ...(kind === 'question' ? question : reminder),
    details: [
      String(text ?? ''),
      ...describeWhen(locale, parameters, present, findTimes),
      ...(isQuiet === true ? [quiet] : []),
    ],
  };
}

function describeWhen(
  locale: Locale,
  { at, in_minutes: minutes, rrule }: JsonObject,
  { nowMs }: { readonly nowMs: number },
  findTimes: () => TaskTimes,
): readonly string[] {
  try {
    const times = findTimes();
    const { from } = texts[locale].permission;
    if (times.kind === 'repeated') {
      const startsAt = Date.parse(`${times.startsAt}:00Z`);
      return [describeTimes(locale, times), from(formatTime(locale, startsAt, 0, 'UTC'), times.timeZone)];
    }
    return [`${formatTime(locale, times.at.getTime(), nowMs, times.timeZone)} (${times.timeZone})`];
  } catch {
    return [at, minutes, rrule].filter((given) => given !== undefined && given !== null).map(String);
  }
}
