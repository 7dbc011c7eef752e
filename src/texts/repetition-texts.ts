import { defineTexts } from './define-texts.ts';
import { pluralOf } from './plural.ts';

const englishTimes = (count: number) => pluralOf('en', count, { one: 'time', other: 'times' });
/** `Every day`, `Every 3 days`. */
const englishEvery = (count: number, unit: string) => (count === 1 ? `Every ${unit}` : `Every ${count} ${unit}s`);
const ENGLISH_ORDINALS = ['first', 'second', 'third', 'fourth', 'fifth'];

const russianTimes = (count: number) => pluralOf('ru', count, { one: 'раз', few: 'раза', many: 'раз', other: 'раза' });
const russianHours = (count: number) =>
  pluralOf('ru', count, { one: 'час', few: 'часа', many: 'часов', other: 'часа' });
const russianDays = (count: number) => pluralOf('ru', count, { one: 'день', few: 'дня', many: 'дней', other: 'дня' });
const russianWeeks = (count: number) =>
  pluralOf('ru', count, { one: 'неделю', few: 'недели', many: 'недель', other: 'недели' });
const russianMonths = (count: number) =>
  pluralOf('ru', count, { one: 'месяц', few: 'месяца', many: 'месяцев', other: 'месяца' });
const russianYears = (count: number) => pluralOf('ru', count, { one: 'год', few: 'года', many: 'лет', other: 'года' });
const russianMinutes = (count: number) =>
  pluralOf('ru', count, { one: 'минуту', few: 'минуты', many: 'минут', other: 'минуты' });

const RUSSIAN_ORDINALS = {
  masculine: { last: 'последний', ending: 'й' },
  feminine: { last: 'последняя', ending: 'я' },
  neuter: { last: 'последнее', ending: 'е' },
};

/** Texts about how often a task runs. */
export const repetitionTexts = defineTexts({
  en: {
    once: 'Once',
    every: {
      minutes: (count: number) => englishEvery(count, 'minute'),
      hours: (count: number) => englishEvery(count, 'hour'),
      days: (count: number) => englishEvery(count, 'day'),
      weekdays: 'Every weekday',
      /** `days`: `Mon, Wed`, or empty. */
      weeks: (count: number, days: string) =>
        count === 1
          ? `Every ${days === '' ? 'week' : days}`
          : `Every ${count} weeks${days === '' ? '' : ` on ${days}`}`,
      months: (count: number, days: string) => `${englishEvery(count, 'month')}${days === '' ? '' : ` on day ${days}`}`,
      lastDay: (count: number) => `${englishEvery(count, 'month')} on the last day`,
      /** `nth`: 1 to 5, or -1 for the last one; `weekday`: 0 is Sunday. */
      weekdayOfMonth: (count: number, nth: number, name: string, _weekday: number) =>
        `${englishEvery(count, 'month')} on the ${nth === -1 ? 'last' : ENGLISH_ORDINALS[nth - 1]} ${name}`,
      years: (count: number) => englishEvery(count, 'year'),
      date: (count: number, dates: string) => `${englishEvery(count, 'year')} on ${dates}`,
      /** Further conditions of a rule, each after a comma: `Every day, in May`. */
      only: {
        months: (names: string) => `in ${names}`,
        weekdays: (names: string) => `on ${names}`,
        nthWeekday: (nth: string, name: string) => `${name} no. ${nth}`,
        monthDays: (days: string) => `on day ${days}`,
        yearDays: (days: string) => `on day ${days} of the year`,
        weekNumbers: (weeks: string) => `in week ${weeks}`,
        positions: (positions: string) => `of these days only: ${positions}`,
        hours: (hours: string) => `in hour ${hours}`,
        minutes: (minutes: string) => `at minute ${minutes}`,
        fromEnd: (number: number) => (number === 1 ? 'the last' : `${number} from the end`),
      },
      at: (time: string) => ` at ${time}`,
      timesADay: (count: number) => `, ${englishTimes(count)} a day`,
      count: (count: number) => `, ${englishTimes(count)}`,
      until: (day: string) => `, until ${day}`,
    },
  },
  ru: {
    once: 'Один раз',
    every: {
      minutes: (count) => (count === 1 ? 'Каждую минуту' : `Раз в ${russianMinutes(count)}`),
      hours: (count) => (count === 1 ? 'Каждый час' : `Раз в ${russianHours(count)}`),
      days: (count) => (count === 1 ? 'Каждый день' : `Раз в ${russianDays(count)}`),
      weekdays: 'По будням',
      weeks: (count, names) =>
        `${count === 1 ? 'Каждую неделю' : `Раз в ${russianWeeks(count)}`}${names === '' ? '' : `: ${names}`}`,
      months: (count, numbers) =>
        `${count === 1 ? 'Каждый месяц' : `Раз в ${russianMonths(count)}`}${numbers === '' ? '' : `, числа: ${numbers}`}`,
      lastDay: (count) => `${count === 1 ? 'Каждый месяц' : `Раз в ${russianMonths(count)}`}, в последний день`,
      weekdayOfMonth: (count, nth, name, weekday) =>
        `${count === 1 ? 'Каждый месяц' : `Раз в ${russianMonths(count)}`}: ${russianOrdinal(nth, weekday)} ${name}`,
      years: (count) => (count === 1 ? 'Каждый год' : `Раз в ${russianYears(count)}`),
      date: (count, dates) => `${count === 1 ? 'Каждый год' : `Раз в ${russianYears(count)}`}, ${dates}`,
      only: {
        months: (names) => `месяцы: ${names}`,
        weekdays: (names) => `дни недели: ${names}`,
        nthWeekday: (nth, name) => `${name} № ${nth}`,
        monthDays: (numbers) => `числа: ${numbers}`,
        yearDays: (numbers) => `дни года: ${numbers}`,
        weekNumbers: (numbers) => `недели: ${numbers}`,
        positions: (positions) => `из этих дней только: ${positions}`,
        hours: (numbers) => `часы: ${numbers}`,
        minutes: (numbers) => `минуты: ${numbers}`,
        fromEnd: (number) => (number === 1 ? 'последний' : `${number} с конца`),
      },
      at: (time) => ` в ${time}`,
      timesADay: (count) => `, ${russianTimes(count)} в день`,
      count: (count) => `, ${russianTimes(count)}`,
      until: (day) => `, до ${day}`,
    },
  },
});

/** Returns the number in the gender of the weekday: `2-й` for Tuesday, `2-я` for Wednesday, `2-е` for Sunday. */
function russianOrdinal(nth: number, weekday: number): string {
  const gender = weekday === 0 ? 'neuter' : [3, 5, 6].includes(weekday) ? 'feminine' : 'masculine';
  const { last, ending } = RUSSIAN_ORDINALS[gender];
  return nth === -1 ? last : `${nth}-${ending}`;
}
