import { beginsWithHour, beginsWithTime, endsWithHour, endsWithTime } from './looks-like-time.ts';
import { isDays, readAmounts } from './read-amounts.ts';
import { isDateOrTime, readDay, readDaysOfMonth, readExcept, readUntil, readWeekdays, skip } from './read-days.ts';
import { readRepetition } from './read-repetition.ts';
import { readTimes } from './read-times.ts';
import { isRepeated, type Slots, toWhen, type When } from './slots.ts';
import {
  AT,
  COMMON_PARTS,
  DAYS,
  EVERY,
  IN,
  LEADING,
  LINKING,
  PARTS_OF_DAY,
  REPETITIONS,
  THIS,
  UNTIL,
} from './when-words.ts';
import { type Read, type SplitText, splitText, type Words } from './words.ts';

export interface ParsedWhen {
  readonly when: When;
  /** Text without the time. */
  readonly rest: string;
}

/** Longest time at the end of a text, in words. */
const MAX_WORDS_AT_END = 32;

/** Reads a text that is nothing but a time, in English or Russian. */
export function parseWhen(text: string): When | undefined {
  const { words } = splitText(text);
  const first = skip(words, 0, LEADING);
  const read = readSlots(words, first, true);
  return read.next === words.length && words.length > first ? toWhen(read.value) : undefined;
}

/**
 * Reads a time at the beginning of a text, at its end, or at both, in English or Russian: `20m tea`,
 * `every weekday 8:00 stand-up`, `call Ann in 20 minutes`, `tomorrow call Ann at 18:00`.
 * @returns undefined if there is no time, or if what is left of the text still begins or ends like one: then the time
 * would not be the one that is written.
 */
export function parseReminder(text: string): ParsedWhen | undefined {
  const split = splitText(text);
  const first = skip(split.words, 0, LEADING);
  const begin = readSlots(split.words, first, true);
  return begin.next === first ? parseAtEnd(text, split, first) : parseAtBeginning(text, split, begin);
}

/** Returns whether a text begins as a time does, though it may be none. */
export function beginsLikeTime(text: string): boolean {
  const { words } = splitText(text);
  const first = skip(words, 0, LEADING);
  return beginsWithTime(words, first) || [AT, EVERY, IN].some((set) => set.has(words[first] ?? ''));
}

function parseAtBeginning(text: string, { words, offsets }: SplitText, begin: Read<Slots>): ParsedWhen | undefined {
  let from = begin.next;
  while (LINKING.has(words[from] ?? '')) from += 1;
  if (!hasEnded(words, begin, from)) return undefined;
  const end = words[begin.next] === ':' ? undefined : findEnd(words, from);
  const slots = end ? join(begin.value, end.value, words, end.at) : begin.value;
  const when = slots && toWhen(slots);
  if (!when) return undefined;
  const isJoined = end !== undefined && slots !== begin.value;
  if (isJoined && endsWithTime(words, end.at)) return undefined;
  const restEnd = isJoined ? offsets[end.at] : undefined;
  const offset = offsets[from];
  return { when, rest: offset === undefined ? '' : text.slice(offset, restEnd).trim() };
}

/** Returns whether the text after a time can't belong to it. A colon separates it from any text but another time. */
function hasEnded(words: Words, { value, next }: Read<Slots>, from: number): boolean {
  if (/^\d{1,2}[:.]\d{2}/.test(words[from] ?? '')) return false;
  if (words[next] === ':') return true;
  const isLinked = from > next && words[from - 1] !== ',';
  if (beginsWithHour(words, from) && (isLinked || !hasTime(value))) return false;
  return !beginsWithTime(words, from);
}

function parseAtEnd(text: string, { words, offsets }: SplitText, first: number): ParsedWhen | undefined {
  const start = LINKING.has(words[first] ?? '') ? first + 1 : first;
  const end = findEnd(words, start + 1);
  const when = end && toWhen(end.value);
  if (!when || beginsWithTime(words, start) || endsWithTime(words, end.at)) return undefined;
  if (!hasTime(end.value) && endsWithHour(words, end.at)) return undefined;
  return {
    when,
    rest: text
      .slice(offsets[start], offsets[end.at])
      .replace(/(?<![\s,:–—-])[\s,:–—-]+$/, '')
      .trim(),
  };
}

/** Finds the longest time at the end of a text. */
function findEnd(words: Words, first: number): { readonly at: number; readonly value: Slots } | undefined {
  for (let at = Math.max(first, words.length - MAX_WORDS_AT_END); at < words.length; at += 1) {
    const { value, next } = readSlots(words, at, IN.has(words[at] ?? ''));
    if (next === words.length) return { at, value };
  }
  return undefined;
}

/**
 * Joins what the beginning and the end of a text say.
 * @returns the slots of the beginning if the end belongs to the text; undefined if that can't be told.
 */
function join(begin: Slots, end: Slots, words: Words, endAt: number): Slots | undefined {
  const isOverlapping = Object.keys(end).some((slot) => slot in begin) || (hasDay(begin) && hasDay(end));
  const isLength = begin.amounts !== undefined && !isDays(begin.amounts);
  const isWhole = isLength || (hasTime(begin) && hasDay(begin));
  if (isOverlapping) {
    const saysMore = Object.keys(end).some((slot) => !(slot in begin));
    return isRepeated(end) || (saysMore && !isWhole) ? undefined : begin;
  }
  if (isWhole && !end.until && !end.except) return begin;
  const word = words[endAt] ?? '';
  const isTime = [AT, EVERY, IN, UNTIL, THIS].some((set) => set.has(word)) || DAYS.has(word) || REPETITIONS.has(word);
  return isTime || end.clocks || end.except ? { ...begin, ...end } : undefined;
}

function hasTime({ clocks, part, isTonight, amounts }: Slots): boolean {
  return (
    clocks !== undefined || part !== undefined || isTonight !== undefined || (amounts !== undefined && !isDays(amounts))
  );
}

function hasDay(slots: Slots): boolean {
  const { day, monthDays, amounts } = slots;
  return (
    day !== undefined || monthDays !== undefined || (amounts !== undefined && isDays(amounts)) || isRepeated(slots)
  );
}

/** Reads as many parts of a time as follow one another. */
function readSlots(words: Words, first: number, mayBeAmounts: boolean): Read<Slots> {
  let slots: Slots = {};
  let next = first;
  for (;;) {
    const place = next > first && words[next] === ',' ? next + 1 : next;
    const read = readSlot(words, place, slots, mayBeAmounts && next === first);
    if (!read || Object.keys(read.value).some((slot) => slot in slots)) return { value: slots, next };
    slots = { ...slots, ...read.value };
    next = read.next;
  }
}

function readSlot(words: Words, at: number, slots: Slots, mayBeAmounts: boolean): Read<Slots> | undefined {
  const amounts = mayBeAmounts ? readAmounts(words, at) : undefined;
  // `10 minutes past 9` is no length of time.
  const times = isDateOrTime(words[at] ?? '') && !hasDay(slots) ? undefined : readTimes(words, at);
  if (amounts && (times === undefined || times.next <= amounts.next))
    return { value: { amounts: amounts.value }, next: amounts.next };
  const until = readUntil(words, at);
  if (until) return { value: { until: until.value }, next: until.next };
  const except = readExcept(words, at);
  if (except) return { value: { except: except.value }, next: except.next };
  const repetition = readRepetition(words, at, slots);
  if (repetition) return repetition;
  const day = readDay(words, at);
  if (day) return { value: { day: day.value }, next: day.next };
  const weekdays = readWeekdays(words, at);
  if (weekdays) return { value: toWeekdays(weekdays.value), next: weekdays.next };
  const part = readPartOfDay(words, at, slots);
  if (part) return part;
  const days = hasDay(slots) ? undefined : readDaysOfMonth(words, at, false);
  if (days && !times) return { value: { monthDays: days.value }, next: days.next };
  return times && { value: { clocks: times.value }, next: times.next };
}

function toWeekdays({
  weekdays,
  isRepeated: each,
}: {
  readonly weekdays: readonly number[];
  readonly isRepeated: boolean;
}): Slots {
  const [weekday] = weekdays;
  return each || weekday === undefined ? { weekdays } : { day: { kind: 'weekday', weekday } };
}

/** Reads `tonight`, `this evening`, `in the morning`, and `morning` after a day. */
function readPartOfDay(words: Words, at: number, slots: Slots): Read<Slots> | undefined {
  const today = { kind: 'in-days', days: 0 } as const;
  if (words[at] === 'tonight')
    return { value: { part: 'evening', isTonight: true, ...(!slots.day && { day: today }) }, next: at + 1 };
  const isThis = words[at] === 'this';
  const isInThe = words[at] === 'in' && words[at + 1] === 'the';
  const place = isInThe ? at + 2 : isThis ? at + 1 : skip(words, at, AT);
  const word = words[place] ?? '';
  const part = PARTS_OF_DAY.get(word);
  if (part === undefined || (COMMON_PARTS.has(word) && !hasDay(slots) && !isInThe && !isThis)) return undefined;
  return { value: { part, ...(isThis && { day: today }) }, next: place + 1 };
}
