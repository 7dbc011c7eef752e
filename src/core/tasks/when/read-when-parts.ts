import { WEEKDAY_CODES } from '../../../lib/weekday-codes.ts';
import {
  AND,
  AT,
  DAYS,
  EVERY,
  FREQUENCIES,
  HALVES,
  MONTHS,
  PARTS_OF_DAY,
  REPEATED,
  REPETITIONS,
  WEEKDAYS,
} from './when-words.ts';

/** `month` is 1 to 12; without a year, the next such day. */
export type Day =
  | { readonly kind: 'in-days'; readonly days: number }
  | { readonly kind: 'weekday'; readonly weekday: number }
  | { readonly kind: 'date'; readonly year?: number; readonly month: number; readonly day: number };

export interface TimeOfDay {
  readonly hour: number;
  readonly minute: number;
}

/** Value read from words, and the index of the word after it. */
export interface Read<Value> {
  readonly value: Value;
  readonly next: number;
}

type Words = readonly string[];

const CLOCK = /^(\d{1,2})[:.](\d{2})(am|pm)?$/;
const HOUR_OF_HALF_DAY = /^(\d{1,2})()(am|pm)$/;
const HOUR = /^\d{1,2}$/;
const ISO_DATE = /^(\d{4})-(\d{1,2})-(\d{1,2})$/;
const DATE = /^(\d{1,2})\.(\d{1,2})\.(\d{4})?$/;
const DAY_OF_MONTH = /^(\d{1,2})(?:st|nd|rd|th)?$/;
const YEAR = /^20\d{2}$/;
/** A leap year, so that February 29 is a date when no year is given. */
const ANY_LEAP_YEAR = 2024;

/** Returns whether a word looks like a time or date, though it may be none: `25:00`. */
export function looksLikeTime(word: string): boolean {
  return CLOCK.test(word) || HOUR_OF_HALF_DAY.test(word);
}

export function looksLikeDate(word: string): boolean {
  return ISO_DATE.test(word) || DATE.test(word);
}

/** Reads `daily`, `every weekday`, `every 2 hours`, `every monday and friday` as a rule of RFC 5545. */
export function readRepetition(words: Words, at: number): Read<string> | undefined {
  const [word = '', second = '', third = ''] = words.slice(at, at + 3);
  const alone = REPETITIONS.get(word);
  if (alone !== undefined) return { value: alone, next: at + 1 };
  if (!EVERY.has(word)) return undefined;
  if (second === 'будний' && third === 'день') return { value: REPEATED.get('weekday') ?? '', next: at + 3 };
  const repeated = REPEATED.get(second);
  if (repeated !== undefined) return { value: repeated, next: at + 2 };
  const frequency = FREQUENCIES.get(third);
  if (/^\d{1,4}$/.test(second) && frequency !== undefined)
    return { value: `FREQ=${frequency};INTERVAL=${second}`, next: at + 3 };
  return readWeekdays(words, at + 1);
}

function readWeekdays(words: Words, first: number): Read<string> | undefined {
  const codes: string[] = [];
  let next = first;
  for (;;) {
    const place = codes.length > 0 && AND.has(words[next] ?? '') ? next + 1 : next;
    const weekday = WEEKDAYS.get(words[place] ?? '');
    if (weekday === undefined) break;
    codes.push(WEEKDAY_CODES[weekday] ?? '');
    next = place + 1;
  }
  return codes.length === 0 ? undefined : { value: `FREQ=WEEKLY;BYDAY=${[...new Set(codes)].join()}`, next };
}

/** Reads `tomorrow`, `on friday`, `24.12.`, `24 December 2027`. */
export function readDay(words: Words, at: number): Read<Day> | undefined {
  const place = AT.has(words[at] ?? '') ? at + 1 : at;
  const word = words[place] ?? '';
  const days = DAYS.get(word);
  if (days !== undefined) return { value: { kind: 'in-days', days }, next: place + 1 };
  const weekday = WEEKDAYS.get(word);
  if (weekday !== undefined) return { value: { kind: 'weekday', weekday }, next: place + 1 };
  const date = readDate(word);
  return date ? { value: date, next: place + 1 } : readNamedMonth(words, place);
}

function readDate(word: string): Day | undefined {
  const iso = ISO_DATE.exec(word);
  if (iso) return toDate(iso[1], iso[2], iso[3]);
  const written = DATE.exec(word);
  return written ? toDate(written[3], written[2], written[1]) : undefined;
}

function readNamedMonth(words: Words, at: number): Read<Day> | undefined {
  const [first = '', second = '', third = ''] = words.slice(at, at + 3);
  const month = MONTHS.get(second) ?? MONTHS.get(first);
  const day = DAY_OF_MONTH.exec(MONTHS.has(second) ? first : second)?.[1];
  if (month === undefined || day === undefined) return undefined;
  const hasYear = YEAR.test(third);
  const date = toDate(hasYear ? third : undefined, `${month}`, day);
  return date && { value: date, next: at + (hasYear ? 3 : 2) };
}

function toDate(yearText: string | undefined, monthText = '', dayText = ''): Day | undefined {
  const [month, day] = [Number(monthText), Number(dayText)];
  const year = yearText === undefined ? undefined : Number(yearText);
  const date = new Date(Date.UTC(year ?? ANY_LEAP_YEAR, month - 1, day));
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined;
  return { kind: 'date', ...(year !== undefined && { year }), month, day };
}

/** Reads `noon`, and `morning` after a day or after "in the". */
export function readPartOfDay(words: Words, at: number, hasDay: boolean): Read<TimeOfDay> | undefined {
  const isInThe = words[at] === 'in' && words[at + 1] === 'the';
  const place = isInThe ? at + 2 : AT.has(words[at] ?? '') ? at + 1 : at;
  const part = PARTS_OF_DAY.get(words[place] ?? '');
  if (!part || (part.needsDay && !hasDay && !isInThe)) return undefined;
  return { value: { hour: part.hour, minute: 0 }, next: place + 1 };
}

/** Reads `18:30`, `9am`, `8:30 pm`, `at 9`. @param part part of the day that was read before. */
export function readTime(words: Words, at: number, part?: TimeOfDay): Read<TimeOfDay> | undefined {
  const hasWord = AT.has(words[at] ?? '');
  const place = hasWord ? at + 1 : at;
  const word = words[place] ?? '';
  const [, hour, minute = '', attached] =
    CLOCK.exec(word) ?? HOUR_OF_HALF_DAY.exec(word) ?? (HOUR.test(word) ? [word, word] : []);
  if (hour === undefined) return undefined;
  const following = attached === undefined ? HALVES.get(words[place + 1] ?? '') : undefined;
  // A number alone may be a part of the text.
  if (HOUR.test(word) && !hasWord && following === undefined) return undefined;
  const half = attached ?? following ?? (part && part.hour > 12 && Number(hour) < 12 ? 'pm' : undefined);
  const time = toTime(Number(hour), Number(minute), half);
  return time && { value: time, next: place + (following === undefined ? 1 : 2) };
}

function toTime(written: number, minute: number, half: string | undefined): TimeOfDay | undefined {
  if (minute > 59 || written > (half === undefined ? 23 : 12) || (half !== undefined && written === 0))
    return undefined;
  return { hour: half === undefined ? written : (written % 12) + (half === 'pm' ? 12 : 0), minute };
}
