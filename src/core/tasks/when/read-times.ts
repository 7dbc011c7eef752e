import {
  AND,
  ARTICLES,
  AT,
  CLOCK_WORDS,
  COMING_HOURS,
  HALVES,
  LONG_UNITS,
  MIDNIGHT,
  MONTHS,
  NOON,
  NUMBERS,
  PAST,
  type PartOfDay,
  TO,
  UNITS,
} from './when-words.ts';
import { type Read, readNumber, type Words } from './words.ts';

export interface TimeOfDay {
  readonly hour: number;
  readonly minute: number;
}

/** Time as it is written. */
export interface Clock extends TimeOfDay {
  /** Part of the day that was written with it. */
  readonly part?: PartOfDay | undefined;
  /** The day that it belongs to is not clear. */
  readonly isMidnight?: boolean;
}

const CLOCK = /^(\d{1,2})[:.](\d{2})(am|pm)?$/;
const HOUR_OF_HALF_DAY = /^(\d{1,2})()(am|pm)$/;
const HOUR = /^\d{1,2}$/;
const MAX_TIMES = 24;

/** Reads `18:30`, `at 9 and 21`, `9:00, 13:00 and 18:00`. */
export function readTimes(words: Words, at: number): Read<readonly Clock[]> | undefined {
  let read = readClock(words, at, false);
  if (!read) return undefined;
  const clocks = [read.value];
  let { next } = read;
  while (clocks.length < MAX_TIMES) {
    let place = next;
    while (words[place] === ',' || AND.has(words[place] ?? '')) place += 1;
    read = place === next ? undefined : readClock(words, place, true);
    if (!read) break;
    clocks.push(read.value);
    next = read.next;
  }
  return { value: clocks, next };
}

/** Reads one time. @param isInList a number alone is an hour. */
function readClock(words: Words, at: number, isInList: boolean): Read<Clock> | undefined {
  const hasWord = AT.has(words[at] ?? '') || words[at] === 'к';
  const place = hasWord ? at + 1 : at;
  const read = readNamedTime(words, place) ?? readMinutesOfHour(words, place) ?? readWrittenTime(words, place);
  if (read) return withPart(words, read);
  if (words[place] === 'час' && hasWord && HALVES.has(words[place + 1] ?? ''))
    return withPart(words, { value: { hour: 1, minute: 0 }, next: place + 1 });
  const hour = readNumber(words, place);
  if (!hour || hour.value > 24) return undefined;
  const clock = CLOCK_WORDS.has(words[hour.next] ?? '') ? readMinutes(words, hour) : hour;
  const found = withPart(words, {
    value: { hour: hour.value, minute: 'minute' in clock ? clock.minute : 0 },
    next: clock.next,
  });
  const isOfClock = words[hour.next] === "o'clock" || found.value.part !== undefined;
  if (isOfClock) return found;
  // A number alone may be a part of the text, or of another time.
  const isHour = isInList || (hasWord && words[at] !== 'on');
  return isHour && !startsOther(words, clock.next) ? found : undefined;
}

/** Reads `noon`, `midnight`, `12 noon`. */
function readNamedTime(words: Words, at: number): Read<Clock> | undefined {
  const place = words[at] === '12' ? at + 1 : at;
  const word = words[place] ?? '';
  if (NOON.has(word)) return { value: { hour: 12, minute: 0 }, next: place + 1 };
  return MIDNIGHT.has(word) ? { value: { hour: 0, minute: 0, isMidnight: true }, next: place + 1 } : undefined;
}

/** Reads `18:30`, `9am`, `8:30pm`. */
function readWrittenTime(words: Words, at: number): Read<Clock> | undefined {
  const word = words[at] ?? '';
  const [, hour, minute = '', part] = CLOCK.exec(word) ?? HOUR_OF_HALF_DAY.exec(word) ?? [];
  if (hour === undefined || Number(minute) > 59) return undefined;
  return {
    value: { hour: Number(hour), minute: Number(minute), part: part === 'am' || part === 'pm' ? part : undefined },
    next: at + 1,
  };
}

/** Reads `half past 9`, `quarter to nine`, `10 minutes past 9`, `без четверти девять`, `полдевятого`. */
function readMinutesOfHour(words: Words, at: number): Read<Clock> | undefined {
  const coming = readComingHour(words, at);
  if (coming) return coming;
  if (words[at] === 'без') return readMinutesBefore(words, at + 1);
  const minutes = readMinuteCount(words, ARTICLES.has(words[at] ?? '') ? at + 1 : at);
  if (!minutes || minutes.value > 59) return undefined;
  const word = words[minutes.next] ?? '';
  if (PAST.has(word)) return readHour(words, minutes.next + 1, minutes.value);
  const hour = TO.has(word) && minutes.value <= 30 ? readHour(words, minutes.next + 1, -minutes.value) : undefined;
  // `9 to 10` may be the hour between them.
  const isRange =
    readNumber(words, minutes.next - 1)?.value === minutes.value && minutes.value <= (hour?.value.hour ?? 0) + 1;
  return isRange ? undefined : hour;
}

/** Reads `четверти девять`, `двадцати девять`, `двадцати пяти девять`. */
function readMinutesBefore(words: Words, at: number): Read<Clock> | undefined {
  const one = NUMBERS.get(words[at] ?? '');
  for (const minutes of [readMinuteCount(words, at), one === undefined ? undefined : { value: one, next: at + 1 }]) {
    const hour = minutes && minutes.value < 60 ? readHour(words, minutes.next, -minutes.value) : undefined;
    if (hour) return hour;
  }
  return undefined;
}

/** Reads `половина девятого`, `четверть десятого`, `десять минут десятого`: minutes before or in the hour to come. */
function readComingHour(words: Words, at: number): Read<Clock> | undefined {
  const word = words[at] ?? '';
  const joined = word.startsWith('пол') ? COMING_HOURS.get(word.replace(/^пол-?/, '')) : undefined;
  if (joined !== undefined) return { value: { hour: joined === 1 ? 12 : joined - 1, minute: 30 }, next: at + 1 };
  const isHalf = ['половина', 'половине', 'половину', 'пол'].includes(word);
  const minutes = isHalf ? { value: 30, next: at + 1 } : readMinuteCount(words, at);
  const hour = COMING_HOURS.get(words[minutes?.next ?? at] ?? '');
  if (!minutes || hour === undefined || minutes.value > 59) return undefined;
  return { value: { hour: hour === 1 ? 12 : hour - 1, minute: minutes.value }, next: minutes.next + 1 };
}

function readMinuteCount(words: Words, at: number): Read<number> | undefined {
  const word = words[at] ?? '';
  if (word === 'half' && PAST.has(words[at + 1] ?? '')) return { value: 30, next: at + 1 };
  if (['quarter', 'четверть', 'четверти'].includes(word)) return { value: 15, next: at + 1 };
  const number = readNumber(words, at);
  if (!number) return undefined;
  return UNITS.get(words[number.next] ?? '') === 1 ? { ...number, next: number.next + 1 } : number;
}

function readHour(words: Words, at: number, minutes: number): Read<Clock> | undefined {
  const named = readNamedTime(words, at);
  const hour = named ? { value: named.value.hour, next: named.next } : readNumber(words, at);
  if (!hour || hour.value > 23) return undefined;
  const [start, minute] = minutes < 0 ? [hour.value - 1, 60 + minutes] : [hour.value, minutes];
  const isOver = start < 0 || (start === 0 && minutes < 0 && hour.value === 1);
  return { value: { hour: isOver ? start + 12 : start, minute, ...(named && { part: undefined }) }, next: hour.next };
}

/** Reads `9 часов 30 минут`. */
function readMinutes(words: Words, hour: Read<number>): { readonly minute: number; readonly next: number } {
  const after = hour.next + 1;
  const minutes = readNumber(words, after);
  const isMinutes = minutes && minutes.value < 60 && UNITS.get(words[minutes.next] ?? '') === 1;
  return isMinutes ? { minute: minutes.value, next: minutes.next + 1 } : { minute: 0, next: after };
}

/** Reads the part of the day after a time: `pm`, `вечера`, `in the evening`, `at night`. */
function withPart(words: Words, { value, next }: Read<Clock>): Read<Clock> {
  const place = words[next] === "o'clock" ? next + 1 : next;
  const part = HALVES.get(words[place] ?? '');
  if (part !== undefined && value.part === undefined) return { value: toPart(value, part), next: place + 1 };
  const [first, second, third = ''] = words.slice(place, place + 3);
  if (first === 'at' && second === 'night') return { value: toPart(value, 'night'), next: place + 2 };
  if (first === 'in' && second === 'the' && (third === 'morning' || third === 'afternoon' || third === 'evening'))
    return { value: { ...value, part: third }, next: place + 3 };
  return { value, next: place };
}

function toPart(clock: Clock, part: PartOfDay): Clock {
  return { ...clock, part, ...(part === 'night' && clock.hour === 12 && { isMidnight: true }) };
}

/** Returns whether the word after a number makes it something other than an hour. */
function startsOther(words: Words, at: number): boolean {
  const word = words[at] ?? '';
  // `9 30` is not an hour and a text that begins with a number.
  const isUnit = HOUR.test(word) || UNITS.has(word) || LONG_UNITS.has(word) || MONTHS.has(word) || /^числ/.test(word);
  return isUnit || PAST.has(word) || word === 'half' || (TO.has(word) && HOUR.test(words[at + 1] ?? ''));
}

/**
 * Returns the time that is meant. Hours up to 12 are read by the part of the day, that of the day or that of the clock.
 * @returns undefined if they contradict each other.
 */
export function toTimeOfDay(
  { hour, minute, part: own }: Clock,
  partOfDay: PartOfDay | undefined,
): TimeOfDay | undefined {
  const read = toHour(hour, own ?? partOfDay);
  if (read === undefined || (own !== undefined && partOfDay !== undefined && !isWithin(read, partOfDay)))
    return undefined;
  return { hour: read, minute };
}

function toHour(hour: number, part: PartOfDay | undefined): number | undefined {
  if (part === undefined) return hour > 23 ? undefined : hour;
  if (part === 'am' || part === 'pm') {
    if (hour < 1 || hour > 12) return undefined;
    return (hour % 12) + (part === 'pm' ? 12 : 0);
  }
  const hours = hour === 12 ? [12, 0] : hour < 12 ? [hour, hour + 12] : [hour];
  return hours.find((one) => isWithin(one, part));
}

/** Hours of the parts of the day; other hours are not said so. */
const HOURS: Readonly<Record<PartOfDay, readonly (readonly [from: number, to: number])[]>> = {
  am: [[0, 11]],
  pm: [[12, 23]],
  morning: [[1, 11]],
  afternoon: [[12, 18]],
  day: [[12, 17]],
  evening: [[16, 23]],
  night: [
    [0, 5],
    [21, 23],
  ],
};

function isWithin(hour: number, part: PartOfDay): boolean {
  return HOURS[part].some(([from, to]) => hour >= from && hour <= to);
}
