import {
  type Day,
  looksLikeDate,
  looksLikeTime,
  type Read,
  readDay,
  readPartOfDay,
  readRepetition,
  readTime,
  type TimeOfDay,
} from './read-when-parts.ts';
import { AT, EVERY, IN, LEADING, LINKING, NUMBER_WORDS, UNITS } from './when-words.ts';

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

export interface ParsedWhen {
  readonly when: When;
  /** Text without the time. */
  readonly rest: string;
}

type Words = readonly string[];

/** Numbers with more digits are no times. */
const AMOUNTS = /(\d{1,4})(\p{L}+)/gu;
const AMOUNT_WORD = /^(?:\d{1,4}\p{L}{1,8}){1,4}$/u;
/** Longest time at the end of a text, in words. */
const MAX_WORDS_AT_END = 7;

/**
 * Reads a time at the beginning of a text, in English or Russian: `20m`, `in 2 hours`, `18:30`, `tomorrow 9:00`,
 * `on friday at 9am`, `24.12. 18:00`, `every weekday 8:00`.
 * @returns undefined if the text begins with no time.
 */
export function parseWhen(text: string): ParsedWhen | undefined {
  const { words, lower } = toWords(text);
  const first = LEADING.has(lower[0] ?? '') ? 1 : 0;
  const read = readAfter(lower, first) ?? readAt(lower, first);
  if (!read) return undefined;
  const next = LINKING.has(lower[read.next] ?? '') ? read.next + 1 : read.next;
  const from = words[next]?.index;
  return { when: read.value, rest: from === undefined ? '' : text.slice(from).trim() };
}

/** Reads a time at the end of a text: `call Ann in 20 minutes`, `tea tomorrow at 9:00`. */
export function parseWhenAtEnd(text: string): ParsedWhen | undefined {
  const { words, lower } = toWords(text);
  const first = LEADING.has(lower[0] ?? '') ? 1 : 0;
  const start = LINKING.has(lower[first] ?? '') ? first + 1 : first;
  for (let at = Math.max(start + 1, words.length - MAX_WORDS_AT_END); at < words.length; at += 1) {
    const isAmount = IN.has(lower[at] ?? '');
    const read = isAmount ? readAfter(lower, at) : readAt(lower, at);
    const rest = text.slice(words[start]?.index, words[at]?.index).trim();
    if (read?.next === words.length) return { when: read.value, rest };
  }
  return undefined;
}

/** Returns whether a text begins as a time does, though it may be none. */
export function beginsLikeTime(text: string): boolean {
  const [word = ''] = toWords(text).lower;
  return /^\d/.test(word) || [AT, EVERY, IN].some((words) => words.has(word));
}

function toWords(text: string) {
  const words = [...text.matchAll(/\S+/g)];
  return { words, lower: words.map(([word]) => word.toLowerCase().replace(/[,:]$/, '')) };
}

function readAfter(words: Words, first: number): Read<When> | undefined {
  const hasWord = IN.has(words[first] ?? '');
  let next = hasWord ? first + 1 : first;
  let minutes = 0;
  const start = next;
  for (let amount = readAmount(words, next, hasWord); amount; amount = readAmount(words, next, false)) {
    minutes += amount.value;
    next = amount.next;
  }
  return next === start ? undefined : { value: { kind: 'after', minutes }, next };
}

/** Reads `20m`, `1h30m`, `20 minutes`, and after "in" also `an hour`, `half an hour` or a unit alone. */
function readAmount(words: Words, at: number, mayOmitNumber: boolean): Read<number> | undefined {
  const [word = '', following = '', third = ''] = words.slice(at, at + 3);
  const unit = UNITS.get(following);
  if (/^\d{1,4}(?:[.,]\d)?$/.test(word) && unit !== undefined)
    return { value: Number(word.replace(',', '.')) * unit, next: at + 2 };
  if (mayOmitNumber && word === 'half' && following === 'an' && third === 'hour') return { value: 30, next: at + 3 };
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

function readAt(words: Words, first: number): Read<When> | undefined {
  let next = first;
  let day: Day | undefined;
  let part: TimeOfDay | undefined;
  let time: TimeOfDay | undefined;
  let rule: string | undefined;
  for (;;) {
    const hasDay = day !== undefined || rule !== undefined;
    const readRule = hasDay ? undefined : readRepetition(words, next);
    const readDayHere = hasDay || readRule ? undefined : readDay(words, next);
    const isDay = readRule !== undefined || readDayHere !== undefined;
    const readPart = isDay || part || time ? undefined : readPartOfDay(words, next, hasDay);
    const readTimeHere = isDay || readPart || time ? undefined : readTime(words, next, part);
    rule = readRule?.value ?? rule;
    day = readDayHere?.value ?? day;
    part = readPart?.value ?? part;
    time = readTimeHere?.value ?? time;
    const read = readRule ?? readDayHere ?? readPart ?? readTimeHere;
    if (!read) break;
    next = read.next;
  }
  const unread = words[AT.has(words[next] ?? '') ? next + 1 : next] ?? '';
  const isWrong = (!time && looksLikeTime(unread)) || (!day && rule === undefined && looksLikeDate(unread));
  if (next === first || isWrong) return undefined;
  const at = time ?? part;
  return {
    value: { kind: 'at', ...(day && { day }), ...(at && { time: at }), ...(rule !== undefined && { rule }) },
    next,
  };
}
