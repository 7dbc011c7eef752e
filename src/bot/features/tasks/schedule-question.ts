import type { TaskTimes } from '../../../core/tasks/index.ts';
import type { ToolQuestion } from '../../../core/tools/index.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { describeTimes } from '../../texts/describe-times.ts';
import type { Locale } from '../../texts/locale.ts';
import { formatTime } from '../../texts/moment.ts';
import { texts } from './texts.ts';

/**
 * Returns the question whether a model may schedule this.
 * @param findTimes returns the times that the parameters mean; if it throws, the parameters are shown as they are.
 */
export function toScheduleQuestion(
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
