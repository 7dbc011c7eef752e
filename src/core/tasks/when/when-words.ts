/** Words of English and Russian for times, in lower case. Users mix languages, so both are always understood. */

const MINUTE = 1;
const HOUR = 60;
const DAY = 24 * HOUR;
const WEEK = 7 * DAY;

const MINUTE_WORDS = 'm min mins minute minutes м мин минуту минута минуты минут';
const HOUR_WORDS = 'h hr hrs hour hours ч час часа часов';
const DAY_WORDS = 'd day days д день дня дней';
const WEEK_WORDS = 'w week weeks нед неделю недели недель';
const MONTH_WORDS = 'month months месяц месяца месяцев';
const YEAR_WORDS = 'year years год года лет';

/** Units of durations, in minutes. */
export const UNITS: ReadonlyMap<string, number> = new Map([
  ...toEntries(MINUTE, MINUTE_WORDS),
  ...toEntries(HOUR / 2, 'полчаса'),
  ...toEntries(HOUR, HOUR_WORDS),
  ...toEntries(DAY, DAY_WORDS),
  ...toEntries(WEEK, WEEK_WORDS),
]);

/** Units of durations that differ in length, in months. */
export const LONG_UNITS: ReadonlyMap<string, number> = new Map([
  ...toEntries(1, MONTH_WORDS),
  ...toEntries(12, YEAR_WORDS),
]);

export type FrequencyName = 'MINUTELY' | 'HOURLY' | 'DAILY' | 'WEEKLY' | 'MONTHLY' | 'YEARLY';

/** Units of repetitions, such as in "every 2 hours". */
export const FREQUENCIES: ReadonlyMap<string, FrequencyName> = new Map([
  ...toEntries<FrequencyName>('MINUTELY', MINUTE_WORDS),
  ...toEntries<FrequencyName>('HOURLY', HOUR_WORDS),
  ...toEntries<FrequencyName>('DAILY', `${DAY_WORDS} сутки`),
  ...toEntries<FrequencyName>('WEEKLY', WEEK_WORDS),
  ...toEntries<FrequencyName>('MONTHLY', MONTH_WORDS),
  ...toEntries<FrequencyName>('YEARLY', YEAR_WORDS),
]);

/** Repetitions in one word. */
export const REPETITIONS: ReadonlyMap<string, FrequencyName> = new Map([
  ...toEntries<FrequencyName>('HOURLY', 'hourly ежечасно'),
  ...toEntries<FrequencyName>('DAILY', 'daily everyday ежедневно'),
  ...toEntries<FrequencyName>('WEEKLY', 'weekly еженедельно'),
  ...toEntries<FrequencyName>('MONTHLY', 'monthly ежемесячно'),
  ...toEntries<FrequencyName>('YEARLY', 'yearly annually ежегодно'),
]);

/** `a` and `an` count only before a unit. */
export const ARTICLES: ReadonlySet<string> = toSet('a an');

export const NUMBERS: ReadonlyMap<string, number> = new Map([
  ...toEntries(1, 'one один одну одна одного одной'),
  ...toEntries(2, 'two два две двух'),
  ...toEntries(3, 'three три трех трёх'),
  ...toEntries(4, 'four четыре четырех четырёх'),
  ...toEntries(5, 'five пять пяти'),
  ...toEntries(6, 'six шесть шести'),
  ...toEntries(7, 'seven семь семи'),
  ...toEntries(8, 'eight восемь восьми'),
  ...toEntries(9, 'nine девять девяти'),
  ...toEntries(10, 'ten десять десяти'),
  ...toEntries(11, 'eleven одиннадцать одиннадцати'),
  ...toEntries(12, 'twelve двенадцать двенадцати'),
  ...toEntries(15, 'fifteen пятнадцать пятнадцати'),
  ...toEntries(20, 'twenty двадцать двадцати'),
  ...toEntries(30, 'thirty тридцать тридцати'),
  ...toEntries(40, 'forty сорок сорока'),
  ...toEntries(45, 'forty-five'),
  ...toEntries(50, 'fifty пятьдесят пятидесяти'),
]);

/** Hours in "half past eight" and "ten past eight" in Russian: those of the hour that is to come. */
export const COMING_HOURS: ReadonlyMap<string, number> = new Map(
  [
    'первого',
    'второго',
    'третьего',
    'четвертого четвёртого',
    'пятого',
    'шестого',
    'седьмого',
    'восьмого',
    'девятого',
    'десятого',
    'одиннадцатого',
    'двенадцатого',
  ].flatMap((words, index) => toEntries(index + 1, words)),
);

/** Days from today. */
export const DAYS: ReadonlyMap<string, number> = new Map([
  ...toEntries(0, 'today сегодня'),
  ...toEntries(1, 'tomorrow завтра'),
  ...toEntries(2, 'послезавтра'),
]);

/** Days of the week, 0 is Sunday. */
export const WEEKDAYS: ReadonlyMap<string, number> = new Map([
  ...toEntries(0, 'sunday sun sundays воскресенье воскресенья воскресеньям вс'),
  ...toEntries(1, 'monday mon mondays понедельник понедельника понедельникам пн'),
  ...toEntries(2, 'tuesday tue tues tuesdays вторник вторника вторникам вт'),
  ...toEntries(3, 'wednesday wed wednesdays среда среду среды средам ср'),
  ...toEntries(4, 'thursday thu thur thurs thursdays четверг четверга четвергам чт'),
  ...toEntries(5, 'friday fri fridays пятница пятницу пятницы пятницам пт'),
  ...toEntries(6, 'saturday sat saturdays суббота субботу субботы субботам сб'),
]);
/** Weekdays that are common words, or the beginning of names, without a preposition. */
export const SHORT_WEEKDAYS: ReadonlySet<string> = toSet('sun mon tue wed thu fri sat вс пн вт ср чт пт сб');

export const WORKDAYS: readonly number[] = [1, 2, 3, 4, 5];
const WEEKEND: readonly number[] = [6, 0];
/** Days of the week in one word that mean each of them, and after a word such as "every". */
export const DAY_GROUPS: ReadonlyMap<string, readonly number[]> = new Map([
  ...toEntries(WORKDAYS, 'weekdays workdays будням будни'),
  ...toEntries(WEEKEND, 'weekends выходным'),
]);
export const REPEATED_GROUPS: ReadonlyMap<string, readonly number[]> = new Map([
  ...DAY_GROUPS,
  ...toEntries(WORKDAYS, 'weekday workday'),
  ...toEntries(WEEKEND, 'weekend выходные выходных'),
]);
/** Adjectives of days that are no part of the weekend. */
export const WORKING: ReadonlySet<string> = toSet('working business work будний рабочий будним рабочим будние рабочие');

export const EVERY: ReadonlySet<string> = toSet('every each каждый каждую каждое каждые каждого каждой по');
export const OTHER: ReadonlySet<string> = toSet('other second 2nd второй вторую второе');
/** Months, 1 to 12. */
export const MONTHS: ReadonlyMap<string, number> = new Map([
  ...toEntries(1, 'january jan января янв'),
  ...toEntries(2, 'february feb февраля фев'),
  ...toEntries(3, 'march mar марта мар'),
  ...toEntries(4, 'april apr апреля апр'),
  ...toEntries(5, 'may мая'),
  ...toEntries(6, 'june jun июня'),
  ...toEntries(7, 'july jul июля'),
  ...toEntries(8, 'august aug августа авг'),
  ...toEntries(9, 'september sep sept сентября сен'),
  ...toEntries(10, 'october oct октября окт'),
  ...toEntries(11, 'november nov ноября ноя'),
  ...toEntries(12, 'december dec декабря дек'),
]);

/** Which weekday of a month; -1 is the last. */
export const ORDINALS: ReadonlyMap<string, number> = new Map([
  ...toEntries(1, 'first 1st первый первую первая первое первого первой'),
  ...toEntries(2, 'second 2nd второй вторую вторая второе второго'),
  ...toEntries(3, 'third 3rd третий третью третья третье третьего'),
  ...toEntries(4, 'fourth 4th четвертый четвёртый четвертую четвёртую четвертое четвёртое'),
  ...toEntries(-1, 'last последний последнюю последняя последнее последнего'),
]);

/** Part of the day, by which hours up to 12 are read. `day`: from noon to the evening, in Russian. */
export type PartOfDay = 'am' | 'pm' | 'morning' | 'afternoon' | 'day' | 'evening' | 'night';

/** Words for parts of the day without an hour. */
export const PARTS_OF_DAY: ReadonlyMap<string, PartOfDay> = new Map([
  ...toEntries<PartOfDay>('morning', 'morning утром утро'),
  ...toEntries<PartOfDay>('afternoon', 'afternoon днём днем'),
  ...toEntries<PartOfDay>('evening', 'evening вечером вечер'),
  ...toEntries<PartOfDay>('night', 'night ночью ночь'),
]);
/** Those that are usual in other texts. They count only after a day. */
export const COMMON_PARTS: ReadonlySet<string> = toSet('morning afternoon evening night утро вечер ночь');
/** Hour of a part of the day without a time. */
export const USUAL_HOURS: ReadonlyMap<PartOfDay, number> = new Map([
  ['morning', 9],
  ['afternoon', 15],
  ['evening', 19],
]);
export const TONIGHT_HOUR = 20;

/** Words after an hour that tell the part of the day. */
export const HALVES: ReadonlyMap<string, PartOfDay> = new Map([
  ...toEntries<PartOfDay>('am', 'am'),
  ...toEntries<PartOfDay>('pm', 'pm'),
  ...toEntries<PartOfDay>('morning', 'утра'),
  ...toEntries<PartOfDay>('day', 'дня'),
  ...toEntries<PartOfDay>('evening', 'вечера'),
  ...toEntries<PartOfDay>('night', 'ночи'),
]);

export const NOON: ReadonlySet<string> = toSet('noon midday полдень');
export const MIDNIGHT: ReadonlySet<string> = toSet('midnight полночь');
/** Words after an hour. */
export const CLOCK_WORDS: ReadonlySet<string> = toSet("o'clock oclock час часа часов ч");
export const PAST: ReadonlySet<string> = toSet('past after');
export const TO: ReadonlySet<string> = toSet('to before till of');

export const AND: ReadonlySet<string> = toSet('and и &');
export const OR: ReadonlySet<string> = toSet('or или');
export const IN: ReadonlySet<string> = toSet('in через');
export const AT: ReadonlySet<string> = toSet('at в во on');
/** Words between the ends of a range. */
export const RANGE: ReadonlySet<string> = toSet('to through thru - – — по');
export const THIS: ReadonlySet<string> = toSet('this эту этот это');
export const EXCEPT: ReadonlySet<string> = toSet('except excluding but кроме исключая');
export const UNTIL: ReadonlySet<string> = toSet('until till til through до по');
/** Words before the time that have no meaning of their own. */
export const LEADING: ReadonlySet<string> = toSet('me мне');
/** Words and signs between the time and the text. */
export const LINKING: ReadonlySet<string> = toSet('to that чтобы - – — : ,');

function toSet(words: string): ReadonlySet<string> {
  return new Set(words.split(' '));
}

function toEntries<Value>(value: Value, words: string): readonly (readonly [string, Value])[] {
  return words.split(' ').map((word) => [word, value] as const);
}
