import { useMemo } from 'preact/hooks';
import { useLocale, useProfile } from './view-context.ts';

/** Returns the IANA name of the time zone in the user's settings. Default: the browser's. */
export function useTimeZone(): string {
  return useProfile().time_zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** Returns a function that formats a time of an answer in the user's language and time zone. */
export function useTimeFormat(): (time: string) => string {
  const locale = useLocale();
  const timeZone = useTimeZone();
  const format = useMemo(
    () => new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short', timeZone }),
    [locale, timeZone],
  );
  return (time) => format.format(Date.parse(time));
}
