import {
  AT,
  DAYS,
  EVERY,
  FREQUENCIES,
  IN,
  LEADING,
  LINKING,
  NUMBER_WORDS,
  REPEATED,
  REPETITIONS,
  UNITS,
  WEEKDAY_CODES,
  WEEKDAYS,
} from './when-words.ts';

/** Time as a user has written it. */
export type When =
  | { readonly kind: 'after'; readonly minutes: number }
  | {
      readonly kind: 'at';
      readonly day?: Day;
      readonly time?: TimeOfDay;
      /** Rule of RFC 5545 without a start. */
      readonly rule?: string;
    };

/** `month` is 1 to 12; without a year, the next such day. */
export type Day =
  | { readonly kind: 'in-days'; readonly days: number }
  | { readonly kind: 'weekday'; readonly weekday: number }
  | { readonly kind: 'date'; readonly year?: number; readonly month: number; readonly day: number };

export interface TimeOfDay {
  readonly hour: number;
  readonly minute: number;
}

export interface ParsedWhen {
  readonly when: When;
  /** Text after the time. */
  readonly rest: string;
}

/** Numbers with more digits are no times. */
const AMOUNTS = /(\d{1,4})(\p{L}+)/gu;
const AMOUNT_WORD = /^(?:\d{1,4}\p{L}{1,8}){1,4}$/u;
const CLOCK = /^(\d{1,2})[:.](\d{2})(am|pm)?$/;
const HOUR_OF_HALF_DAY = /^(\d{1,2})(am|pm)$/;
const HOUR = /^\d{1,2}$/;
const ISO_DATE = /^(\d{4})-(\d{1,2})-(\d{1,2})$/;
const DATE = /^(\d{1,2})\.(\d{1,2})\.(\d{4})?$/;
const TIMES: readonly RegExp[] = [CLOCK, HOUR_OF_HALF_DAY];
const DATES: readonly RegExp[] = [ISO_DATE, DATE];

/**
 * Reads a time at the beginning of a text, in English or Russian: `20m`, `in 2 hours`, `18:30`, `tomorrow 9:00`,
 * `on friday at 9am`, `24.12. 18:00`, `every weekday 8:00`.
 * @returns undefined if the text begins with no time.
 */
export function parseWhen(text: string): ParsedWhen | undefined {
  const words = [...text.matchAll(/\S+/g)];
  const lower = words.map(([word]) => word.toLowerCase().replace(/[,:]$/, ''));
  const first = LEADING.has(lower[0] ?? '') ? 1 : 0;
  const read = readAfter(lower, first) ?? readAt(lower, first);
  if (!read) return undefined;
  const next = LINKING.has(lower[read.next] ?? '') ? read.next + 1 : read.next;
  const from = words[next]?.index;
  return { when: read.when, rest: from === undefined ? '' : text.slice(from).trim() };
}

/** Value read from words, and the index of the word after it. */
interface Read<Value> {
  readonly value: Value;
  readonly next: number;
}

function readAfter(
  words: readonly string[],
  first: number,
): { readonly when: When; readonly next: number } | undefined {
  const hasWord = IN.has(words[first] ?? '');
  let next = hasWord ? first + 1 : first;
  let minutes = 0;
  const start = next;
  for (let amount = readAmount(words, next, hasWord); amount; amount = readAmount(words, next, false)) {
    minutes += amount.value;
    next = amount.next;
  }
  return next === start ? undefined : { when: { kind: 'after', minutes }, next };
}

/** Reads `20m`, `1h30m`, `20 minutes`, and after "in" also `an hour` or a unit alone. */
function readAmount(words: readonly string[], at: number, mayOmitNumber: boolean): Read<number> | undefined {
  const [word = '', following = ''] = words.slice(at, at + 2);
  const unit = UNITS.get(following);
  if (/^\d{1,4}$/.test(word) && unit !== undefined) return { value: Number(word) * unit, next: at + 2 };
  if (mayOmitNumber && NUMBER_WORDS.has(word) && unit !== undefined) return { value: unit, next: at + 2 };
  const alone = UNITS.get(word);
  if (mayOmitNumber && alone !== undefined) return { value: alone, next: at + 1 };
  if (!AMOUNT_WORD.test(word)) return undefined;
  const amounts = [...word.matchAll(AMOUNTS)].map(
    ([, number, name = '']) => Number(number) * (UNITS.get(name) ?? Number.NaN),
  );
  const value = amounts.reduce((sum, amount) => sum + amount, 0);
  return Number.isNaN(value) ? undefined : { value, next: at + 1 };
}

function readAt(words: readonly string[], first: number): { readonly when: When; readonly next: number } | undefined {
  let next = first;
  let day: Day | undefined;
  let time: TimeOfDay | undefined;
  let rule: string | undefined;
  for (;;) {
    const readRule = rule === undefined && day === undefined ? readRepetition(words, next) : undefined;
    const readDayHere = day === undefined && rule === undefined && !readRule ? readDay(words, next) : undefined;
    const readTimeHere = time === undefined && !readRule && !readDayHere ? readTime(words, next) : undefined;
    rule = readRule?.value ?? rule;
    day = readDayHere?.value ?? day;
    time = readTimeHere?.value ?? time;
    const read = readRule ?? readDayHere ?? readTimeHere;
    if (!read) break;
    next = read.next;
  }
  const hasDay = day !== undefined || rule !== undefined;
  const isWrong = isUnread(words, next, [...(time ? [] : TIMES), ...(hasDay ? [] : DATES)]);
  if (next === first || isWrong) return undefined;
  return {
    when: { kind: 'at', ...(day && { day }), ...(time && { time }), ...(rule !== undefined && { rule }) },
    next,
  };
}

/** Returns whether the next word looks like a time, but is none: `25:00`. */
function isUnread(words: readonly string[], at: number, forms: readonly RegExp[]): boolean {
  const word = words[AT.has(words[at] ?? '') ? at + 1 : at] ?? '';
  return forms.some((form) => form.test(word));
}

function readRepetition(words: readonly string[], at: number): Read<string> | undefined {
  const alone = REPETITIONS.get(words[at] ?? '');
  if (alone !== undefined) return { value: alone, next: at + 1 };
  if (!EVERY.has(words[at] ?? '')) return undefined;
  if (words[at + 1] === 'будний' && words[at + 2] === 'день')
    return { value: REPEATED.get('weekday') ?? '', next: at + 3 };
  const repeated = REPEATED.get(words[at + 1] ?? '');
  if (repeated !== undefined) return { value: repeated, next: at + 2 };
  const frequency = FREQUENCIES.get(words[at + 2] ?? '') ?? '';
  if (/^\d{1,4}$/.test(words[at + 1] ?? '') && frequency !== '')
    return { value: `FREQ=${frequency};INTERVAL=${words[at + 1]}`, next: at + 3 };
  const weekday = WEEKDAYS.get(words[at + 1] ?? '');
  return weekday === undefined ? undefined : { value: `FREQ=WEEKLY;BYDAY=${WEEKDAY_CODES[weekday]}`, next: at + 2 };
}

function readDay(words: readonly string[], at: number): Read<Day> | undefined {
  const skipped = AT.has(words[at] ?? '') ? at + 1 : at;
  const word = words[skipped] ?? '';
  const days = DAYS.get(word);
  if (days !== undefined) return { value: { kind: 'in-days', days }, next: skipped + 1 };
  const weekday = WEEKDAYS.get(word);
  if (weekday !== undefined) return { value: { kind: 'weekday', weekday }, next: skipped + 1 };
  const date = readDate(word);
  return date && { value: date, next: skipped + 1 };
}

function readDate(word: string): Day | undefined {
  const iso = ISO_DATE.exec(word);
  if (iso) return toDate(iso[1], iso[2], iso[3]);
  const written = DATE.exec(word);
  return written ? toDate(written[3], written[2], written[1]) : undefined;
}

/** A leap year, so that February 29 is a date when no year is given. */
const ANY_LEAP_YEAR = 2024;

function toDate(yearText: string | undefined, monthText = '', dayText = ''): Day | undefined {
  const [month, day] = [Number(monthText), Number(dayText)];
  const year = yearText === undefined ? undefined : Number(yearText);
  const date = new Date(Date.UTC(year ?? ANY_LEAP_YEAR, month - 1, day));
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined;
  return { kind: 'date', ...(year !== undefined && { year }), month, day };
}

function readTime(words: readonly string[], at: number): Read<TimeOfDay> | undefined {
  const hasWord = AT.has(words[at] ?? '');
  const place = hasWord ? at + 1 : at;
  const word = words[place] ?? '';
  const next = place + 1;
  const clock = CLOCK.exec(word);
  if (clock) return toTime(clock[1], clock[2], clock[3], next);
  const ofHalfDay = HOUR_OF_HALF_DAY.exec(word);
  if (ofHalfDay) return toTime(ofHalfDay[1], '0', ofHalfDay[2], next);
  // A number alone may be a part of the text.
  if (!hasWord || !HOUR.test(word)) return undefined;
  const half = words[next];
  return half === 'am' || half === 'pm' ? toTime(word, '0', half, next + 1) : toTime(word, '0', undefined, next);
}

function toTime(hourText = '', minuteText = '', half: string | undefined, next: number): Read<TimeOfDay> | undefined {
  const minute = Number(minuteText);
  const written = Number(hourText);
  if (minute > 59 || written > (half === undefined ? 23 : 12) || (half !== undefined && written === 0))
    return undefined;
  const hour = half === undefined ? written : (written % 12) + (half === 'pm' ? 12 : 0);
  return { value: { hour, minute }, next };
}
