import { formatMoment } from '../bot/texts/moment.ts';
import { useLocale, useProfile } from './view-context.ts';

/** Returns a function that formats a time of an answer in the user's language and time zone. */
export function useTimeFormat(): (time: string) => string {
  const locale = useLocale();
  const { time_zone: timeZone } = useProfile();
  return (time) => formatMoment(locale, Date.parse(time), timeZone ?? undefined);
}
