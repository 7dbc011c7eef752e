import { WEEKDAY_CODES } from '../../lib/weekday-codes.ts';
import { englishRepetition } from './english-repetition.ts';
import type { Locale } from './locale.ts';
import { russianRepetition } from './russian-repetition.ts';

/** Times of a task. The rule is valid, as it is stored. */
type DescribedTimes =
  | { readonly kind: 'once' }
  | { readonly kind: 'repeated'; readonly rule: string; readonly startsAt: string };
type RuleParts = ReadonlyMap<string, string>;

const texts: Readonly<Record<Locale, typeof englishRepetition>> = { en: englishRepetition, ru: russianRepetition };

/** Parts of rules that are described in words. */
const DESCRIBED: ReadonlySet<string> = new Set(['FREQ', 'INTERVAL', 'BYDAY', 'BYMONTHDAY', 'COUNT', 'UNTIL', 'WKST']);
const WORKDAYS = 'MO,TU,WE,TH,FR';
/** `2TU`: the second Tuesday of a month; `-1FR`: the last Friday. */
const DAY_OF_MONTH = /^([1-5]|-1)(MO|TU|WE|TH|FR|SA|SU)$/;
/** A Sunday. */
const SUNDAY_MS = Date.UTC(2026, 10, 22);
const DAY_MS = 86_400_000;

/** Returns how often a task runs: `Every week on Mon, Wed at 8:00 AM`. */
export function describeTimes(locale: Locale, times: DescribedTimes): string {
  const { every, once } = texts[locale];
  if (times.kind === 'once') return once;
  const rule = toParts(times.rule);
  const frequency = describeFrequency(locale, rule);
  if (frequency === undefined) return every.rule(times.rule);
  const isWithinDay = ['MINUTELY', 'HOURLY'].includes(rule.get('FREQ') ?? '');
  return `${frequency}${isWithinDay ? '' : every.at(toTime(locale, times.startsAt))}${describeEnd(locale, rule)}`;
}

function toParts(rule: string): RuleParts {
  return new Map(rule.split(';').map((part) => [part.slice(0, part.indexOf('=')), part.slice(part.indexOf('=') + 1)]));
}

/** Returns undefined for a rule that has no short description. */
function describeFrequency(locale: Locale, rule: RuleParts): string | undefined {
  const { every } = texts[locale];
  if ([...rule.keys()].some((part) => !DESCRIBED.has(part))) return undefined;
  const count = Number(rule.get('INTERVAL') ?? 1);
  const days = rule.get('BYDAY');
  const monthDays = rule.get('BYMONTHDAY');
  const frequency = rule.get('FREQ');
  if (frequency === 'WEEKLY' && monthDays === undefined) {
    if (days === WORKDAYS && count === 1) return every.weekdays;
    const names = days?.split(',').map((code) => toDayName(locale, code)) ?? [];
    return names.includes('') ? undefined : every.weeks(count, names.join(', '));
  }
  if (frequency === 'MONTHLY' && days === undefined && monthDays === '-1') return every.lastDay(count);
  const dayOfMonth = frequency === 'MONTHLY' && monthDays === undefined ? DAY_OF_MONTH.exec(days ?? '') : null;
  if (dayOfMonth) {
    const weekday = WEEKDAY_CODES.indexOf(dayOfMonth[2] ?? '');
    return every.weekdayOfMonth(count, Number(dayOfMonth[1]), formatDay(locale, weekday, 'long'), weekday);
  }
  if (frequency === 'MONTHLY' && days === undefined && !monthDays?.includes('-'))
    return every.months(count, monthDays?.replaceAll(',', ', ') ?? '');
  if (days !== undefined || monthDays !== undefined) return undefined;
  if (frequency === 'MINUTELY') return every.minutes(count);
  if (frequency === 'HOURLY') return every.hours(count);
  if (frequency === 'DAILY') return every.days(count);
  return frequency === 'YEARLY' ? every.years(count) : undefined;
}

function describeEnd(locale: Locale, rule: RuleParts): string {
  const { every } = texts[locale];
  const count = rule.get('COUNT');
  if (count !== undefined) return every.count(Number(count));
  const until = rule.get('UNTIL');
  if (until === undefined) return '';
  const day = Date.UTC(Number(until.slice(0, 4)), Number(until.slice(4, 6)) - 1, Number(until.slice(6, 8)));
  return every.until(new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' }).format(day));
}

/** Returns an empty text for a day such as `-1FR`. */
function toDayName(locale: Locale, code: string): string {
  const index = WEEKDAY_CODES.indexOf(code);
  return index < 0 ? '' : formatDay(locale, index, 'short');
}

function formatDay(locale: Locale, index: number, weekday: 'short' | 'long'): string {
  return new Intl.DateTimeFormat(locale, { weekday, timeZone: 'UTC' }).format(SUNDAY_MS + index * DAY_MS);
}

function toTime(locale: Locale, startsAt: string): string {
  const time = { hour: 'numeric', minute: '2-digit', timeZone: 'UTC' } as const;
  return new Intl.DateTimeFormat(locale, time).format(Date.parse(`${startsAt}:00Z`));
}
