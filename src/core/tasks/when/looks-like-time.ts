import {
  AND,
  AT,
  CLOCK_WORDS,
  COMING_HOURS,
  DAY_GROUPS,
  DAYS,
  EVERY,
  FREQUENCIES,
  HALVES,
  MIDNIGHT,
  MONTHS,
  NOON,
  NUMBERS,
  OR,
  ORDINALS,
  PARTS_OF_DAY,
  PAST,
  REPEATED_GROUPS,
  REPETITIONS,
  SHORT_WEEKDAYS,
  UNTIL,
  WEEKDAYS,
} from './when-words.ts';
import type { Words } from './words.ts';

/** Words that are about times in any place. */
const WORDS = new Set(
  [
    "tonight yesterday noon o'clock quarter except excluding till until daily sharp twice thrice fortnight fortnightly",
    'biweekly bimonthly quarterly midday starting beginning ending weekdays past am pm noons nightly evenings mornings',
    'вчера кроме исключая дважды трижды ровно полдень полночь полудня полуночи полтора полторы четверть половина половине',
    'early earlier late later soon utc gmt cet cest eet est edt pst pdt cst msk bst',
    'рано поздно пораньше попозже позже скоро мск',
    'fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth twentieth thirtieth',
    'начиная числа числам часов часа минут минуты утра вечера ночи дня недели месяца года сутки полчаса',
  ].flatMap((words) => words.split(' ')),
);
/** Words before a time that are common before other words. */
const PREPOSITIONS = new Set(
  'of at on in by from since before after between within during for around about approximately roughly till until through over в во на к ко с со до после через по за перед между около примерно где-то'.split(
    ' ',
  ),
);
/** Words between a preposition and a time. */
const BETWEEN = new Set(
  'the a an of next this last coming following each every late early end start beginning middle my work working business следующий следующую следующее следующей следующем следующего этот эту это этой этом прошлый прошлую конца конце начала начале середине каждый каждую каждого рабочего рабочей'.split(
    ' ',
  ),
);
/** Events that tell a time after a preposition: `before lunch`. */
const EVENTS =
  /^(?:lunch|lunchtime|dinner|dinnertime|breakfast|supper|bedtime|bed|sunrise|sunset|dawn|dusk|night|обед\p{L}{0,2}|ужин\p{L}{0,2}|завтрак\p{L}{0,2}|сном|сна|рассвет\p{L}{0,2}|закат\p{L}{0,2}|москв\p{L}|московскому|местному|киеву|гринвичу)$/u;
const RELATIVE = new Set(
  'next last coming following this следующий следующую следующее следующей следующем'.split(' '),
);
const UNIT_STEMS =
  /^(?:sec(?:ond)?s?|mins?|minutes?|hours?|hrs?|days?|weeks?|months?|years?|times?|weekend|season|quarter|раза?|секунд\p{L}*|минут\p{L}*|час\p{L}*|дн\p{L}*|день|сут\p{L}*|недел\p{L}*|месяц\p{L}*|год\p{L}*|лет|квартал\p{L}*|числ\p{L}*)$/u;
const RUSSIAN_STEMS =
  /^(?:понедельник|вторник|сред(?:а|у|ы|е|ой|ам)$|четверг|пятниц|суббот|воскресень|будн|выходн|завтра|сегодня|ежедневн|еженедельн|ежемесячн|ежегодн|утренн|вечерн|пол(?:овин|дев|дес|вос|сед|шест|пят|чет|тр|вт|перв|одинн|двен))/;

/** Returns whether words from an index on begin as a time does, or as a part of one. */
export function beginsWithTime(words: Words, at: number): boolean {
  const [word = '', second = ''] = words.slice(at, at + 2);
  if (AND.has(word) || OR.has(word) || isTimeWord(word)) return true;
  if (/^\d/.test(word) || NUMBERS.has(word)) return isTimeNumber(word) || followsNumber(second);
  if (ORDINAL_STEMS.test(word) && /(?:дцат|десят|девят|восьм|седьм|шест|пят)/.test(word)) return true;
  if (ORDINALS.has(word))
    return second === 'thing' || isDayName(second) || UNIT_STEMS.test(second) || MONTHS.has(second);
  if (RELATIVE.has(word) || word === 'half')
    return isNamed(second) || PAST.has(second) || second === 'an' || isNumber(second);
  if (word === 'once' || word === 'раз') return ['a', 'per', 'every', 'each', 'в', 'more', 'again'].includes(second);
  if (word === 'but') return isDayName(second);
  if (word === 'without' || word === 'без') return isNumber(second) || isNamed(second) || second === 'четверти';
  if (word === 'день' || word === 'day') return ['after', 'before', 'через', 'later'].includes(second);
  return PREPOSITIONS.has(word)
    ? beginsWithNamedTime(words, at + 1)
    : word === 'the' && beginsWithNamedTime(words, at + 1);
}

/** Returns whether the words before an index end as a time does, or as what precedes one. */
export function endsWithTime(words: Words, end: number): boolean {
  const [before = '', word = ''] = [words[end - 2], words[end - 1]];
  if (isTimeWord(word) || AND.has(word) || OR.has(word) || ['but', 'next', 'last', 'once', 'other'].includes(word))
    return true;
  if (PREPOSITIONS.has(word) || UNTIL.has(word)) return true;
  if (SHORT_WEEKDAYS.has(word) && AT.has(before)) return true;
  if (isTimeNumber(word)) return true;
  return (isNumber(before) || RELATIVE.has(before) || EVERY.has(before)) && (UNIT_STEMS.test(word) || MONTHS.has(word));
}

/** Returns whether the words are a number that may be an hour: `8 dinner`. */
export function beginsWithHour(words: Words, at: number): boolean {
  const word = words[at] ?? '';
  return NUMBERS.has(word) || (/^\d{1,2}$/.test(word) && Number(word) <= 24);
}

/** Returns whether the words before an index end with a number that may be an hour: `dinner 8`. */
export function endsWithHour(words: Words, end: number): boolean {
  return end > 0 && beginsWithHour(words, end - 1);
}

function beginsWithNamedTime(words: Words, first: number): boolean {
  let at = first;
  while (BETWEEN.has(words[at] ?? '') || PREPOSITIONS.has(words[at] ?? '')) at += 1;
  const [word = '', second = ''] = words.slice(at, at + 2);
  if (at > first && UNIT_STEMS.test(word)) return true;
  if (/^\d/.test(word) || NUMBERS.has(word)) {
    const preposition = words[first - 1] ?? '';
    return preposition === 'for' || preposition === 'за' || preposition === 'the'
      ? isTimeNumber(word) || followsNumber(second)
      : true;
  }
  return isNamed(word) || ORDINALS.has(word);
}

/** Names of days, parts of days and months, also those that are common words elsewhere. */
function isNamed(word: string): boolean {
  return (
    isTimeWord(word) ||
    isDayName(word) ||
    MONTHS.has(word) ||
    ORDINAL_STEMS.test(word) ||
    UNIT_STEMS.test(word) ||
    EVENTS.test(word)
  );
}

function isDayName(word: string): boolean {
  return WEEKDAYS.has(word) || REPEATED_GROUPS.has(word) || DAYS.has(word);
}

function isTimeWord(word: string): boolean {
  if (WORDS.has(word) || NOON.has(word) || MIDNIGHT.has(word) || DAYS.has(word) || HALVES.has(word)) return true;
  if (EVERY.has(word) && word !== 'по') return true;
  if (WEEKDAYS.has(word) && !SHORT_WEEKDAYS.has(word)) return true;
  // Short names and "march" are common words.
  if (MONTHS.has(word) && word.length > 3 && word !== 'march') return true;
  return (
    DAY_GROUPS.has(word) ||
    REPETITIONS.has(word) ||
    PARTS_OF_DAY.has(word) ||
    RUSSIAN_STEMS.test(word) ||
    CLOCKS.test(word)
  );
}

const ORDINAL_STEMS =
  /^(?:\p{L}*(?:дцат|десят|девят|восьм|седьм|шест|пят|четв[её]рт|трет|втор|перв))(?:ого|ому|ое|ый|ий|ая|ую|ой|ом|ьего|ье|ью|ья)$/u;
const CLOCKS = /^\d{1,2}[:.]\d{2}(?:[ap]m)?$/;

function isNumber(word: string): boolean {
  return /^\d/.test(word) || NUMBERS.has(word);
}

/** Returns whether a word with digits is a time by itself: `9:00-18:00`, `24.12.`, `15th`, `20m`. */
function isTimeNumber(word: string): boolean {
  if (/^\d{1,4}[:./–—-]\d/.test(word) || /^\d{1,2}\.$/.test(word) || /^\d{1,2}(?:st|nd|rd|th|-?го)$/.test(word))
    return true;
  const [, unit = ''] = /^\d{1,4}(\p{L}+)$/u.exec(word) ?? [];
  return FREQUENCIES.has(unit) || HALVES.has(unit);
}

function followsNumber(word: string): boolean {
  return (
    UNIT_STEMS.test(word) ||
    FREQUENCIES.has(word) ||
    HALVES.has(word) ||
    MONTHS.has(word) ||
    PAST.has(word) ||
    CLOCK_WORDS.has(word) ||
    COMING_HOURS.has(word)
  );
}
