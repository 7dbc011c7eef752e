import { describeTimes } from '../../../bot/texts/describe-times.ts';
import type { Task } from '../../api/types.ts';
import { useTimeZone } from '../../formats.ts';
import { useLocale } from '../../view-context.ts';

/** Returns a function that says how often a task runs, with its time zone if it is not the user's. */
export function useRepetition(): (task: Pick<Task, 'rule' | 'starts_at' | 'time_zone'>) => string {
  const locale = useLocale();
  const ownTimeZone = useTimeZone();
  return ({ rule, starts_at: startsAt, time_zone: timeZone }) => {
    if (rule === null) return describeTimes(locale, { kind: 'once' });
    const times = describeTimes(locale, { kind: 'repeated', rule, startsAt });
    return timeZone === ownTimeZone ? times : `${times} (${timeZone})`;
  };
}
