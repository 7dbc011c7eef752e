import { NOTHING_NEW, toLocalTime } from '../../../core/tasks/index.ts';
import type { ExtendedAnswer, PromptAddition } from '../../kit/feature.ts';
import type { BotServices } from '../../kit/services.ts';
import { findTimeZone } from '../../time-zones/time-zones.ts';
import { formatForModel } from './task-tools.ts';

/**
 * Tells the model the user's date and time zone, for `schedule_task`. The time of day is left out: the prompt stays the
 * same for a day, so that providers can cache it.
 */
export function describeToday({ clock }: BotServices, answer: ExtendedAnswer): PromptAddition {
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
export function describeRun(
  { clock }: BotServices,
  { question: { extras } }: ExtendedAnswer,
): PromptAddition | undefined {
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
