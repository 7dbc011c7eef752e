import {
  AND,
  AT,
  DAY_GROUPS,
  DAYS,
  EXCEPT,
  FREQUENCIES,
  HALVES,
  MONTHS,
  ORDINALS,
  RANGE,
  REPEATED_GROUPS,
  THIS,
  UNTIL,
  WEEKDAYS,
} from './when-words.ts';
import { type Read, readNumber, type Words } from './words.ts';

/** `month` is 1 to 12; without a year, the next such day. `months`: the same day of a later month. */
export type Day =
  | { readonly kind: 'in-days'; readonly days: number }
  | { readonly kind: 'in-months'; readonly months: number }
  | { readonly kind: 'weekday'; readonly weekday: number }
  | { readonly kind: 'day-of-month'; readonly day: number }
  | { readonly kind: 'date'; readonly year?: number; readonly month: number; readonly day: number };

/** Weekday of a month: the first, or -1 for the last. */
export interface NthWeekday {
  readonly nth: number;
  readonly weekday: number;
}

const ISO_DATE = /^(\d{4})-(\d{1,2})-(\d{1,2})$/;
const DATE = /^(\d{1,2})\.(\d{1,2})\.(\d{4}|\d{2})?$/;
const SLASH_DATE = /^(\d{1,2})\/(\d{1,2})(?:\/(\d{4}))?$/;
const BARE_DATE = /^(\d{1,2})\.(\d{1,2})$/;
const CLOCK = /^\d{1,2}[:.]\d{2}(?:am|pm)?$/;
const DAY_OF_MONTH = /^(\d{1,2})(?:st|nd|rd|th|-?го|-?ое|-?е)?$/;
const ORDINAL_DAY = /^(\d{1,2})(?:st|nd|rd|th|-?го|-?ое|-?е)$/;
const YEAR = /^20\d{2}$/;
/** A leap year, so that February 29 is a date when no year is given. */
const ANY_LEAP_YEAR = 2024;

/** Reads `tomorrow`, `24.12.`, `24 December 2027`, `the 24th of December`. */
export function readDay(words: Words, at: number): Read<Day> | undefined {
  const text = words.slice(at, at + 4).join(' ');
  const [dayAfter] = /^(?:the )?day after tomorrow(?= |$)/.exec(text) ?? [];
  if (dayAfter !== undefined) return { value: { kind: 'in-days', days: 2 }, next: at + dayAfter.split(' ').length };
  const place = skip(words, skip(words, at, AT), THE);
  const days = DAYS.get(words[place] ?? '');
  return days === undefined ? readDate(words, place) : { value: { kind: 'in-days', days }, next: place + 1 };
}

/** Returns whether a word may be a date and a time: `10.11`. */
export function isDateOrTime(word: string): boolean {
  const [, day, month] = BARE_DATE.exec(word) ?? [];
  return toDate(undefined, month, day) !== undefined;
}

/** Reads a date, with or without its year. */
export function readDate(words: Words, at: number): Read<Day> | undefined {
  const word = words[at] ?? '';
  const iso = ISO_DATE.exec(word);
  const written = DATE.exec(word);
  // `10.11` may be a time, unless a time follows.
  const followsTime = CLOCK.test(words[AT.has(words[at + 1] ?? '') ? at + 2 : at + 1] ?? '');
  const bare = followsTime ? BARE_DATE.exec(word) : null;
  const date = iso
    ? toDate(iso[1], iso[2], iso[3])
    : written
      ? toDate(written[3], written[2], written[1])
      : readSlashes(word);
  const found = date ?? (bare ? toDate(undefined, bare[2], bare[1]) : undefined);
  return found ? { value: found, next: at + 1 } : readNamedMonth(words, at);
}

/** Reads `24/12` and `12/24` where only one of the numbers can be a month. */
function readSlashes(word: string): Day | undefined {
  const [, first, second, year] = SLASH_DATE.exec(word) ?? [];
  if (Number(first) <= 12 === Number(second) <= 12 && first !== second) return undefined;
  return Number(first) > 12 ? toDate(year, second, first) : toDate(year, first, second);
}

function readNamedMonth(words: Words, at: number): Read<Day> | undefined {
  const isAmerican = MONTHS.has(words[at] ?? '');
  const isOf = !isAmerican && words[at + 1] === 'of';
  const dayAt = isAmerican ? at + 1 : at;
  const monthAt = isAmerican ? at : isOf ? at + 2 : at + 1;
  const month = MONTHS.get(words[monthAt] ?? '');
  const day = DAY_OF_MONTH.exec(words[dayAt] ?? '')?.[1];
  if (month === undefined || day === undefined) return undefined;
  let next = Math.max(monthAt, dayAt) + 1;
  if (words[next] === ',' && YEAR.test(words[next + 1] ?? '')) next += 1;
  const year = YEAR.test(words[next] ?? '') ? words[next] : undefined;
  const date = toDate(year, `${month}`, day);
  if (!date) return undefined;
  if (year !== undefined) next += 1;
  return { value: date, next: year !== undefined && ['года', 'г', 'г.'].includes(words[next] ?? '') ? next + 1 : next };
}

function toDate(yearText: string | undefined, monthText = '', dayText = ''): Day | undefined {
  const [month, day] = [Number(monthText), Number(dayText)];
  const year = yearText === undefined ? undefined : Number(yearText.padStart(4, '20'));
  const date = new Date(Date.UTC(year ?? ANY_LEAP_YEAR, month - 1, day));
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined;
  return { kind: 'date', ...(year !== undefined && { year }), month, day };
}

/** Days of the week as they are written. */
export interface WrittenWeekdays {
  readonly weekdays: readonly number[];
  /** They are each such day, also if it is one: `mondays`, `monday to friday`. */
  readonly isRepeated: boolean;
}

/** Reads `on friday`, `mondays`, `monday and thursday`, `from monday to friday`, `on weekends`. */
export function readWeekdays(words: Words, at: number): Read<WrittenWeekdays> | undefined {
  const group = readGroup(words, at, DAY_GROUPS);
  if (group) return { value: { weekdays: group.value, isRepeated: true }, next: group.next };
  const hasStart = ['from', 'с', 'со'].includes(words[at] ?? '');
  const place = hasStart ? at + 1 : skip(words, skip(words, at, AT), THIS);
  const read = readWeekdayList(words, place);
  if (!read) return undefined;
  const isRange = RANGE.has(words[place + 1] ?? '');
  if (hasStart && !isRange) return undefined;
  const isPlural = words.slice(place, read.next).some((word) => /(?:days|ам|ям)$/.test(word));
  return { value: { weekdays: read.value, isRepeated: isPlural || read.value.length > 1 }, next: read.next };
}

/** Reads `weekdays`, `on weekends`. */
function readGroup(
  words: Words,
  at: number,
  groups: ReadonlyMap<string, readonly number[]>,
): Read<readonly number[]> | undefined {
  const place = skip(words, at, AT);
  const group = groups.get(words[place] ?? '');
  return group && { value: group, next: place + 1 };
}

/** Reads one or several weekdays and ranges of them. */
export function readWeekdayList(words: Words, first: number): Read<readonly number[]> | undefined {
  const weekdays: number[] = [];
  let next = first;
  for (;;) {
    let place = next;
    while (weekdays.length > 0 && (words[place] === ',' || AND.has(words[place] ?? ''))) place += 1;
    if (place > next) place = skip(words, place, AT);
    const weekday = WEEKDAYS.get(words[place] ?? '');
    if (weekday === undefined) break;
    const last = RANGE.has(words[place + 1] ?? '') ? WEEKDAYS.get(words[place + 2] ?? '') : undefined;
    if (last === weekday) return undefined;
    weekdays.push(...(last === undefined ? [weekday] : listRange(weekday, last)));
    next = place + (last === undefined ? 1 : 3);
  }
  return weekdays.length === 0 ? undefined : { value: [...new Set(weekdays)], next };
}

function listRange(from: number, to: number): number[] {
  return Array.from({ length: ((to - from + 7) % 7) + 1 }, (_, index) => (from + index) % 7);
}

/** Reads `except sunday`, `кроме выходных`. */
export function readExcept(words: Words, at: number): Read<readonly number[]> | undefined {
  if (!EXCEPT.has(words[at] ?? '')) return undefined;
  const place = skip(words, skip(words, at + 1, new Set(['for', 'not'])), AT);
  return readGroup(words, place, REPEATED_GROUPS) ?? readWeekdayList(words, place);
}

/** Reads `until 5 December`, `до пятницы`. */
export function readUntil(words: Words, at: number): Read<Day> | undefined {
  if (!UNTIL.has(words[at] ?? '')) return undefined;
  // "По пятницам" is a repetition.
  const weekday = words[at] === 'по' ? undefined : WEEKDAYS.get(words[at + 1] ?? '');
  if (weekday !== undefined) return { value: { kind: 'weekday', weekday }, next: at + 2 };
  return readDay(words, at + 1);
}

/** Reads `the 15th`, `1st and 15th`, `15-го числа`. @param isMonthly a number alone is a day. */
export function readDaysOfMonth(words: Words, at: number, isMonthly: boolean): Read<readonly number[]> | undefined {
  const days: number[] = [];
  let next = at;
  for (;;) {
    let place = next;
    while (days.length > 0 && (words[place] === ',' || AND.has(words[place] ?? ''))) place += 1;
    const isFurther = place > next;
    place = skip(words, skip(words, place, AT), THE);
    const read = days.length === 0 || isFurther ? readDayOfMonth(words, place, isMonthly || isFurther) : undefined;
    if (!read) break;
    days.push(read.value);
    next = read.next;
  }
  return days.length === 0 ? undefined : { value: [...new Set(days)], next };
}

function readDayOfMonth(words: Words, at: number, mayBeBare: boolean): Read<number> | undefined {
  const ordinal = ORDINAL_DAY.exec(words[at] ?? '')?.[1];
  const number = ordinal === undefined ? readNumber(words, at) : { value: Number(ordinal), next: at + 1 };
  if (!number || number.value < 1 || number.value > 31) return undefined;
  const isCalled = ['числа', 'число', 'числам'].includes(words[number.next] ?? '');
  if (ordinal === undefined && !isCalled && !mayBeBare) return undefined;
  const following = words[number.next] ?? '';
  if ([MONTHS, WEEKDAYS, FREQUENCIES, HALVES].some((names) => names.has(following))) return undefined;
  return { value: number.value, next: isCalled ? number.next + 1 : number.next };
}

/** Reads `the first monday`, `последняя пятница`. */
export function readNthWeekday(words: Words, at: number): Read<NthWeekday> | undefined {
  const place = skip(words, skip(words, at, AT), THE);
  const nth = ORDINALS.get(words[place] ?? '');
  const weekday = WEEKDAYS.get(words[place + 1] ?? '');
  return nth === undefined || weekday === undefined ? undefined : { value: { nth, weekday }, next: place + 2 };
}

/** Returns the index after `the last day`. */
export function readLastDay(words: Words, at: number): number | undefined {
  const place = skip(words, skip(words, at, AT), THE);
  return ORDINALS.get(words[place] ?? '') === -1 && ['day', 'день'].includes(words[place + 1] ?? '')
    ? place + 2
    : undefined;
}

const THE: ReadonlySet<string> = new Set(['the']);

/** Returns the index after a word if it is one of these. */
export function skip(words: Words, at: number, skipped: ReadonlySet<string>): number {
  return skipped.has(words[at] ?? '') ? at + 1 : at;
}
