/** Words of English and Russian for times, in lower case. Users mix languages, so both are always understood. */

const MINUTE = 1;
const HOUR = 60;
const DAY = 24 * HOUR;
const WEEK = 7 * DAY;

const MINUTE_WORDS = 'm min mins minute minutes м мин минуту минуты минут';
const HOUR_WORDS = 'h hr hrs hour hours ч час часа часов';
const DAY_WORDS = 'd day days д день дня дней';
const WEEK_WORDS = 'w week weeks нед неделю недели недель';

/** Units of durations, in minutes. */
export const UNITS: ReadonlyMap<string, number> = new Map([
  ...toEntries(MINUTE, MINUTE_WORDS),
  ...toEntries(HOUR / 2, 'полчаса'),
  ...toEntries(HOUR, HOUR_WORDS),
  ...toEntries(DAY, DAY_WORDS),
  ...toEntries(WEEK, WEEK_WORDS),
]);

/** Units of repetitions after a number, such as in "every 2 hours". */
export const FREQUENCIES: ReadonlyMap<string, string> = new Map([
  ...toEntries('MINUTELY', MINUTE_WORDS),
  ...toEntries('HOURLY', HOUR_WORDS),
  ...toEntries('DAILY', DAY_WORDS),
  ...toEntries('WEEKLY', WEEK_WORDS),
  ...toEntries('MONTHLY', 'month months месяц месяца месяцев'),
  ...toEntries('YEARLY', 'year years год года лет'),
]);

/** Numbers that users write as words. */
export const NUMBER_WORDS: ReadonlySet<string> = new Set(['a', 'an', 'one', 'один', 'одну']);

/** Days from today. */
export const DAYS: ReadonlyMap<string, number> = new Map([
  ...toEntries(0, 'today сегодня'),
  ...toEntries(1, 'tomorrow завтра'),
  ...toEntries(2, 'послезавтра'),
]);

/** Days of the week, 0 is Sunday. */
export const WEEKDAYS: ReadonlyMap<string, number> = new Map([
  ...toEntries(0, 'sunday sun sundays воскресенье воскресеньям вс'),
  ...toEntries(1, 'monday mon mondays понедельник понедельникам пн'),
  ...toEntries(2, 'tuesday tue tuesdays вторник вторникам вт'),
  ...toEntries(3, 'wednesday wed wednesdays среда среду средам ср'),
  ...toEntries(4, 'thursday thu thursdays четверг четвергам чт'),
  ...toEntries(5, 'friday fri fridays пятница пятницу пятницам пт'),
  ...toEntries(6, 'saturday sat saturdays суббота субботу субботам сб'),
]);

const WEEKLY_ON_WORKDAYS = 'FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR';

/** Repetitions without a word before them, as rules of RFC 5545. */
export const REPETITIONS: ReadonlyMap<string, string> = new Map([
  ...toEntries('FREQ=DAILY', 'daily ежедневно'),
  ...toEntries('FREQ=HOURLY', 'hourly ежечасно'),
  ...toEntries('FREQ=WEEKLY', 'weekly еженедельно'),
  ...toEntries('FREQ=MONTHLY', 'monthly ежемесячно'),
  ...toEntries('FREQ=YEARLY', 'yearly annually ежегодно'),
  ...toEntries(WEEKLY_ON_WORKDAYS, 'weekdays'),
]);

/** Repetitions after a word such as "every". */
export const REPEATED: ReadonlyMap<string, string> = new Map([
  ...toEntries('FREQ=HOURLY', 'hour час'),
  ...toEntries('FREQ=DAILY', 'day день'),
  ...toEntries('FREQ=WEEKLY', 'week неделю'),
  ...toEntries('FREQ=MONTHLY', 'month месяц'),
  ...toEntries('FREQ=YEARLY', 'year год'),
  ...toEntries(WEEKLY_ON_WORKDAYS, 'weekday workday будням будни'),
  ...toEntries('FREQ=WEEKLY;BYDAY=SA,SU', 'weekend выходным выходные'),
]);

export const EVERY: ReadonlySet<string> = new Set(['every', 'each', 'каждый', 'каждую', 'каждое', 'каждые', 'по']);
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

/** Hours for words. Those that are usual in other texts count only after a day. */
export const PARTS_OF_DAY: ReadonlyMap<string, { readonly hour: number; readonly needsDay: boolean }> = new Map([
  ...toEntries({ hour: 9, needsDay: true }, 'morning'),
  ...toEntries({ hour: 15, needsDay: true }, 'afternoon'),
  ...toEntries({ hour: 19, needsDay: true }, 'evening'),
  ...toEntries({ hour: 0, needsDay: false }, 'midnight полночь'),
  ...toEntries({ hour: 9, needsDay: false }, 'утром'),
  ...toEntries({ hour: 12, needsDay: false }, 'noon midday полдень'),
  ...toEntries({ hour: 15, needsDay: false }, 'днём днем'),
  ...toEntries({ hour: 19, needsDay: false }, 'вечером'),
  ...toEntries({ hour: 20, needsDay: false }, 'tonight'),
]);

/** Words after an hour that tell the half of the day. */
export const HALVES: ReadonlyMap<string, 'am' | 'pm'> = new Map([
  ...toEntries('am' as const, 'am утра ночи'),
  ...toEntries('pm' as const, 'pm дня вечера'),
]);

export const AND: ReadonlySet<string> = new Set(['and', 'и']);
export const IN: ReadonlySet<string> = new Set(['in', 'через']);
export const AT: ReadonlySet<string> = new Set(['at', 'в', 'во', 'on']);
/** Words before the time that have no meaning of their own. */
export const LEADING: ReadonlySet<string> = new Set(['me', 'мне']);
/** Words between the time and the text. */
export const LINKING: ReadonlySet<string> = new Set(['to', 'that', '–', '—', '-']);

function toEntries<Value>(value: Value, words: string): readonly (readonly [string, Value])[] {
  return words.split(' ').map((word) => [word, value] as const);
}
