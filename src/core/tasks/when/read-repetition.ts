import { readDate, readDaysOfMonth, readLastDay, readNthWeekday, readWeekdayList, skip } from './read-days.ts';
import type { Slots } from './slots.ts';
import {
  ARTICLES,
  EVERY,
  FREQUENCIES,
  type FrequencyName,
  OTHER,
  PARTS_OF_DAY,
  REPEATED_GROUPS,
  REPETITIONS,
  WORKDAYS,
  WORKING,
} from './when-words.ts';
import { type Read, readNumber, type Words } from './words.ts';

/** Reads `daily`, `every weekday`, `every 2 hours`, `each monday and friday`, `on the 15th of every month`. */
export function readRepetition(words: Words, at: number, { frequency }: Slots): Read<Slots> | undefined {
  const alone = REPETITIONS.get(words[at] ?? '');
  if (alone !== undefined) return { value: { frequency: { name: alone } }, next: at + 1 };
  if (words[at] === 'fortnightly') return { value: { frequency: { name: 'WEEKLY', interval: 2 } }, next: at + 1 };
  return (
    readOnce(words, at) ??
    readEvery(words, at) ??
    readOfMonth(words, at, { isMonthly: frequency?.name === 'MONTHLY', isEvery: false })
  );
}

/** Reads `once a week`, `once every 2 days`, `раз в неделю`, `раз в 2 дня`. */
function readOnce(words: Words, at: number): Read<Slots> | undefined {
  const isRussian = words[at] === 'раз' && words[at + 1] === 'в';
  const isEnglish = words[at] === 'once' && (ARTICLES.has(words[at + 1] ?? '') || words[at + 1] === 'per');
  if (words[at] === 'once' && EVERY.has(words[at + 1] ?? '')) return readInterval(words, at + 2);
  return isRussian || isEnglish ? readInterval(words, at + 2) : undefined;
}

/** Reads `day`, `2 weeks`, `other day`, `half hour`. */
function readInterval(words: Words, at: number): Read<Slots> | undefined {
  if (words[at] === 'полчаса') return { value: ofFrequency('MINUTELY', 30), next: at + 1 };
  if (words[at] === 'half') {
    const place = skip(words, at + 1, ARTICLES);
    return words[place] === 'hour' ? { value: ofFrequency('MINUTELY', 30), next: place + 1 } : undefined;
  }
  const alone = FREQUENCIES.get(words[at] ?? '');
  if (alone !== undefined) return { value: ofFrequency(alone), next: at + 1 };
  const second = OTHER.has(words[at] ?? '') ? FREQUENCIES.get(words[at + 1] ?? '') : undefined;
  if (second !== undefined) return { value: ofFrequency(second, 2), next: at + 2 };
  const number = readNumber(words, at);
  const name = FREQUENCIES.get(words[number?.next ?? at] ?? '');
  return number && name !== undefined ? { value: ofFrequency(name, number.value), next: number.next + 1 } : undefined;
}

function readEvery(words: Words, at: number): Read<Slots> | undefined {
  if (!EVERY.has(words[at] ?? '')) return undefined;
  const place = at + 1;
  const word = words[place] ?? '';
  const days = WORKING.has(word) && /^(?:days?|дни|день|дням)$/.test(words[place + 1] ?? '') ? WORKDAYS : undefined;
  if (days) return { value: { weekdays: days }, next: place + 2 };
  const group = REPEATED_GROUPS.get(word);
  if (group) return { value: { weekdays: group }, next: place + 1 };
  const second = OTHER.has(word) ? readInterval(words, place) : undefined;
  if (second) return second;
  const monthly = readOfMonth(words, place, { isMonthly: false, isEvery: true });
  if (monthly) return monthly;
  const date = readDate(words, place);
  if (date) return { value: { frequency: { name: 'YEARLY' }, day: date.value }, next: date.next };
  const ofMonth = readDaysOfMonth(words, place, false);
  if (ofMonth) return { value: { frequency: { name: 'MONTHLY' }, monthDays: ofMonth.value }, next: ofMonth.next };
  const part = PARTS_OF_DAY.get(word);
  if (part !== undefined) return { value: { frequency: { name: 'DAILY' }, part }, next: place + 1 };
  const other = OTHER.has(word) && word === 'other' ? readWeekdayList(words, place + 1) : undefined;
  if (other) return { value: { ...ofFrequency('WEEKLY', 2), weekdays: other.value }, next: other.next };
  // "По понедельник" is the end of a time.
  const isEnd = words[at] === 'по' && !/^(?:..|.*[ая]м)$/.test(word);
  const weekdays = isEnd ? undefined : readWeekdayList(words, place);
  return weekdays ? { value: { weekdays: weekdays.value }, next: weekdays.next } : readInterval(words, place);
}

/** Reads days of each month: `the 15th of every month`; after "every" `last day of the month`; after "monthly" `on 15`. */
function readOfMonth(words: Words, at: number, { isMonthly, isEvery }: MonthContext): Read<Slots> | undefined {
  const finish = (value: Slots, next: number): Read<Slots> | undefined => {
    const after = readMonthWords(words, next, isMonthly || isEvery);
    if (isMonthly) return { value, next: after ?? next };
    return after === undefined ? undefined : { value: { ...value, frequency: { name: 'MONTHLY' } }, next: after };
  };
  const nth = readNthWeekday(words, at);
  if (nth) return finish({ nth: nth.value }, nth.next);
  const lastDay = readLastDay(words, at);
  if (lastDay !== undefined) return finish({ monthDays: [-1] }, lastDay);
  const days = readDaysOfMonth(words, at, isMonthly && ['on', 'the'].includes(words[at] ?? ''));
  return days && finish({ monthDays: days.value }, days.next);
}

/** `isMonthly`: the text has said so. `isEvery`: the word before is "every". */
interface MonthContext {
  readonly isMonthly: boolean;
  readonly isEvery: boolean;
}

/** Returns the index after `of every month`, `каждого месяца`, and if it is clear that each is meant `of the month`. */
function readMonthWords(words: Words, at: number, isEachClear: boolean): number | undefined {
  const isOf = words[at] === 'of' || words[at] === 'in';
  let place = isOf ? at + 1 : at;
  const isEach = EVERY.has(words[place] ?? '');
  const hasArticle = isOf && (words[place] === 'the' || words[place] === 'a');
  if (isEach || hasArticle) place += 1;
  if (!['month', 'месяца', 'месяц'].includes(words[place] ?? '')) return undefined;
  return isEach || (isEachClear && (hasArticle || words[place] === 'месяца')) ? place + 1 : undefined;
}

function ofFrequency(name: FrequencyName, interval?: number): Slots {
  return { frequency: { name, ...(interval !== undefined && { interval }) } };
}
