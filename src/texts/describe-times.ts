import { WEEKDAY_CODES } from '../lib/dates.ts';
import type { Locale } from './locale.ts';
import { repetitionTexts as texts } from './repetition-texts.ts';

/** Times of a task. The rule is valid, as it is stored. */
type DescribedTimes =
  | { readonly kind: 'once' }
  | { readonly kind: 'repeated'; readonly rule: string; readonly startsAt: string };
type RuleParts = ReadonlyMap<string, string>;

/** More times of a day are counted. */
const MAX_TIMES = 12;

/** Returns how often a task runs: `Every week on Mon, Wed at 8:00 AM`. */
export function describeTimes(locale: Locale, times: DescribedTimes): string {
  if (times.kind === 'once') return texts[locale].once;
  const rule = toParts(times.rule);
  const days = describeFrequency(locale, rule) ?? describeParts(locale, rule);
  return `${days}${describeClock(locale, rule, times.startsAt)}${describeEnd(locale, rule)}`;
}

/** Returns the times of the day, which a rule within the day has not. */
function describeClock(locale: Locale, rule: RuleParts, startsAt: string): string {
  const { every } = texts[locale];
  if (isWithinDay(rule)) return '';
  const hours = rule.get('BYHOUR')?.split(',') ?? [startsAt.slice(11, 13)];
  const minutes = rule.get('BYMINUTE')?.split(',') ?? [startsAt.slice(14, 16)];
  const clocks = hours.flatMap((hour) => minutes.map((minute) => Number(hour) * 60 + Number(minute)));
  if (clocks.length > MAX_TIMES) return every.timesADay(clocks.length);
  return every.at(
    clocks
      .toSorted((one, other) => one - other)
      .map((clock) => toTime(locale, clock))
      .join(', '),
  );
}

function isWithinDay(rule: RuleParts): boolean {
  return ['MINUTELY', 'HOURLY'].includes(rule.get('FREQ') ?? '');
}

function toParts(rule: string): RuleParts {
  return new Map(rule.split(';').map((part) => [part.slice(0, part.indexOf('=')), part.slice(part.indexOf('=') + 1)]));
}

/** Parts of rules that say more than frequency, days and times. */
const FURTHER: ReadonlySet<string> = new Set(['BYMONTH', 'BYWEEKNO', 'BYYEARDAY', 'BYSETPOS']);
const WORKDAYS = 'MO,TU,WE,TH,FR';
/** `2TU`: the second Tuesday of a month; `-1FR`: the last Friday. */
const DAY_OF_MONTH = /^([1-5]|-1)(MO|TU|WE|TH|FR|SA|SU)$/;

/** Returns undefined for a rule that is described part by part. */
function describeFrequency(locale: Locale, rule: RuleParts): string | undefined {
  const { every } = texts[locale];
  if (isYearlyDate(rule)) return describeDates(locale, rule);
  if ([...rule.keys()].some((part) => FURTHER.has(part))) return undefined;
  if (isWithinDay(rule) && (rule.has('BYHOUR') || rule.has('BYMINUTE'))) return undefined;
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

function isYearlyDate(rule: RuleParts): boolean {
  const names = [...rule.keys()].filter((name) => name.startsWith('BY') && name !== 'BYHOUR' && name !== 'BYMINUTE');
  const isDate = rule.has('BYMONTH') && rule.has('BYMONTHDAY') && !rule.get('BYMONTHDAY')?.includes('-');
  return rule.get('FREQ') === 'YEARLY' && names.length === 2 && isDate;
}

function describeDates(locale: Locale, rule: RuleParts): string {
  const format = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'long', timeZone: 'UTC' });
  const days = rule.get('BYMONTHDAY')?.split(',') ?? [];
  const months = rule.get('BYMONTH')?.split(',') ?? [];
  // A leap year.
  const dates = months.flatMap((month) =>
    days.map((day) => format.format(Date.UTC(2028, Number(month) - 1, Number(day)))),
  );
  return texts[locale].every.date(Number(rule.get('INTERVAL') ?? 1), dates.join(', '));
}

/** Describes any rule, one part after the other. */
function describeParts(locale: Locale, rule: RuleParts): string {
  const { every } = texts[locale];
  const count = Number(rule.get('INTERVAL') ?? 1);
  const frequencies: Readonly<Record<string, string>> = {
    MINUTELY: every.minutes(count),
    HOURLY: every.hours(count),
    DAILY: every.days(count),
    WEEKLY: every.weeks(count, ''),
    MONTHLY: every.months(count, ''),
    YEARLY: every.years(count),
  };
  const listNumbers = (name: string) =>
    rule
      .get(name)
      ?.split(',')
      .map((number) => toNumber(locale, number))
      .join(', ');
  const limits: readonly (readonly [string | undefined, (values: string) => string])[] = [
    [
      rule
        .get('BYMONTH')
        ?.split(',')
        .map((month) => toMonthName(locale, month))
        .join(', '),
      every.only.months,
    ],
    [listNumbers('BYWEEKNO'), every.only.weekNumbers],
    [listNumbers('BYYEARDAY'), every.only.yearDays],
    [listNumbers('BYMONTHDAY'), every.only.monthDays],
    [
      rule
        .get('BYDAY')
        ?.split(',')
        .map((code) => toNthDayName(locale, code))
        .join(', '),
      every.only.weekdays,
    ],
    [listNumbers('BYSETPOS'), every.only.positions],
    [isWithinDay(rule) ? listNumbers('BYHOUR') : undefined, every.only.hours],
    [isWithinDay(rule) ? listNumbers('BYMINUTE') : undefined, every.only.minutes],
  ];
  const described = limits.flatMap(([values, describe]) => (values === undefined ? [] : [describe(values)]));
  return [frequencies[rule.get('FREQ') ?? ''] ?? every.days(count), ...described].join(', ');
}

/** Returns `3`, or for `-1` words for the last one. */
function toNumber(locale: Locale, number: string): string {
  return number.startsWith('-') ? texts[locale].every.only.fromEnd(-Number(number)) : `${Number(number)}`;
}

function toNthDayName(locale: Locale, code: string): string {
  const [nth, name] = [code.slice(0, -2), toDayName(locale, code.slice(-2))];
  return nth === '' ? name : texts[locale].every.only.nthWeekday(toNumber(locale, nth), name);
}

function toMonthName(locale: Locale, month: string): string {
  return new Intl.DateTimeFormat(locale, { month: 'long', timeZone: 'UTC' }).format(
    Date.UTC(2028, Number(month) - 1, 1),
  );
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

/** A Sunday. */
const SUNDAY_MS = Date.UTC(2026, 10, 22);
const DAY_MS = 86_400_000;

function formatDay(locale: Locale, index: number, weekday: 'short' | 'long'): string {
  return new Intl.DateTimeFormat(locale, { weekday, timeZone: 'UTC' }).format(SUNDAY_MS + index * DAY_MS);
}

/** @param clock minutes from the start of the day. */
function toTime(locale: Locale, clock: number): string {
  const time = { hour: 'numeric', minute: '2-digit', timeZone: 'UTC' } as const;
  return new Intl.DateTimeFormat(locale, time).format(clock * 60_000);
}
