import { AND, ARTICLES, IN, LONG_UNITS, UNITS } from './when-words.ts';
import { type Read, readNumber, type Words } from './words.ts';

/** Length of time from now: minutes or months. */
export interface Amounts {
  readonly minutes: number;
  readonly months: number;
}

/** Returns whether a length of time is one of days, weeks or months, after which a time of day may follow. */
export function isDays({ minutes, months }: Amounts): boolean {
  return months > 0 || (minutes > 0 && minutes % DAY === 0);
}

/** Numbers with more digits are no times. */
const COMPACT = /(\d{1,4})(\p{L}+)/gu;
const COMPACT_WORD = /^(?:\d{1,4}\p{L}{1,8}){1,4}$/u;
const HOUR = 60;
const DAY = 24 * HOUR;

/** Reads `in 20 minutes`, `1h30m`, `in 1 hour and 30 minutes`, `через полтора часа`. */
export function readAmounts(words: Words, first: number): Read<Amounts> | undefined {
  const hasWord = IN.has(words[first] ?? '');
  const start = hasWord ? first + 1 : first;
  let sum = readAmount(words, start, hasWord);
  for (let more = readFurther(words, sum); sum && more; more = readFurther(words, sum)) {
    const { minutes, months } = sum.value;
    sum = { value: { minutes: minutes + more.value.minutes, months: months + more.value.months }, next: more.next };
  }
  // Months and days have no common unit.
  if (!sum || (sum.value.months > 0 && sum.value.minutes > 0)) return undefined;
  const isFromNow = words[sum.next] === 'from' && words[sum.next + 1] === 'now';
  return isFromNow ? { ...sum, next: sum.next + 2 } : sum;
}

function readFurther(words: Words, read: Read<Amounts> | undefined): Read<Amounts> | undefined {
  if (!read) return undefined;
  const isJoined = AND.has(words[read.next] ?? '') || words[read.next] === ',';
  return readAmount(words, isJoined ? read.next + 1 : read.next, false);
}

function readAmount(words: Words, at: number, isAfterIn: boolean): Read<Amounts> | undefined {
  const read = readFraction(words, at) ?? readCount(words, at, isAfterIn) ?? readCompact(words, at);
  if (!read) return undefined;
  return readHalf(words, read) ?? read;
}

/** Reads `half an hour`, `a quarter of an hour`, `полтора часа`. */
function readFraction(words: Words, at: number): Read<Amounts> | undefined {
  const text = words.slice(at, at + 5).join(' ');
  const [found] =
    /^(?:half an hour|(?:a )?quarter of an hour|an hour and a half|четверть часа|полтора часа|полторы минуты)(?= |$)/.exec(
      text,
    ) ?? [];
  if (found === undefined) return undefined;
  const next = at + found.split(' ').length;
  if (/^(?:an hour|полтора)/.test(found)) return { value: ofMinutes(1.5 * HOUR), next };
  if (found.startsWith('полторы')) return { value: ofMinutes(1.5), next };
  return { value: ofMinutes(found.startsWith('half') ? HOUR / 2 : HOUR / 4), next };
}

/** Reads `20 minutes`, `1.5 hours`, `2 and a half hours`, and after "in" also `an hour` or a unit alone. */
function readCount(words: Words, at: number, isAfterIn: boolean): Read<Amounts> | undefined {
  const word = words[at] ?? '';
  if (/^\d{1,4}[.,]\d$/.test(word)) return readUnit(words, at + 1, Number(word.replace(',', '.')));
  const number = readNumber(words, at);
  if (number) {
    const half = readAndHalf(words, number.next);
    return half === undefined ? readUnit(words, number.next, number.value) : readUnit(words, half, number.value + 0.5);
  }
  if (!isAfterIn) return undefined;
  if (ARTICLES.has(word) && words[at + 1] === 'couple' && words[at + 2] === 'of') return readUnit(words, at + 3, 2);
  if (word === 'пару') return readUnit(words, at + 1, 2);
  if (ARTICLES.has(word)) return readUnit(words, at + 1, 1);
  // "Через день" means in a day, and every other day.
  return word === 'день' ? undefined : readUnit(words, at, 1);
}

function readUnit(words: Words, at: number, count: number): Read<Amounts> | undefined {
  const word = words[at] ?? '';
  const unit = UNITS.get(word);
  if (unit !== undefined) return { value: ofMinutes(count * unit), next: at + 1 };
  const months = LONG_UNITS.get(word);
  return months === undefined || !Number.isInteger(count)
    ? undefined
    : { value: { minutes: 0, months: count * months }, next: at + 1 };
}

/** Reads `1h30m`. */
function readCompact(words: Words, at: number): Read<Amounts> | undefined {
  const word = words[at] ?? '';
  if (!COMPACT_WORD.test(word)) return undefined;
  const amounts = [...word.matchAll(COMPACT)].map(
    ([, number, name = '']) => Number(number) * (UNITS.get(name) ?? Number.NaN),
  );
  const minutes = amounts.reduce((sum, amount) => sum + amount, 0);
  return Number.isNaN(minutes) ? undefined : { value: ofMinutes(minutes), next: at + 1 };
}

/** Reads the end of `an hour and a half`; the unit is that before it. */
function readHalf(words: Words, { value, next }: Read<Amounts>): Read<Amounts> | undefined {
  const unit = UNITS.get(words[next - 1] ?? '');
  const after = readAndHalf(words, next);
  if (after === undefined || unit === undefined || unit >= DAY || value.months > 0) return undefined;
  return { value: ofMinutes(value.minutes + unit / 2), next: after };
}

/** Returns the index after `and a half`; undefined if there is none. */
function readAndHalf(words: Words, at: number): number | undefined {
  if (words[at] === 'and' && words[at + 1] === 'a' && words[at + 2] === 'half') return at + 3;
  return words[at] === 'с' && words[at + 1] === 'половиной' ? at + 2 : undefined;
}

function ofMinutes(minutes: number): Amounts {
  return { minutes, months: 0 };
}
