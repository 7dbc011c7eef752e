import { defineTexts } from './define-texts.ts';
import { pluralOf } from './plural.ts';

const englishTimes = (count: number) => pluralOf('en', count, { one: 'time', other: 'times' });
const ORDINALS = ['first', 'second', 'third', 'fourth', 'fifth'];

const russianTimes = (count: number) => pluralOf('ru', count, { one: 'раз', few: 'раза', many: 'раз', other: 'раза' });
const hours = (count: number) => pluralOf('ru', count, { one: 'час', few: 'часа', many: 'часов', other: 'часа' });
const days = (count: number) => pluralOf('ru', count, { one: 'день', few: 'дня', many: 'дней', other: 'дня' });
const weeks = (count: number) =>
  pluralOf('ru', count, { one: 'неделю', few: 'недели', many: 'недель', other: 'недели' });
const months = (count: number) =>
  pluralOf('ru', count, { one: 'месяц', few: 'месяца', many: 'месяцев', other: 'месяца' });
const years = (count: number) => pluralOf('ru', count, { one: 'год', few: 'года', many: 'лет', other: 'года' });
const minutes = (count: number) =>
  pluralOf('ru', count, { one: 'минуту', few: 'минуты', many: 'минут', other: 'минуты' });

/** Texts about how often a task runs. */
export const repetitionTexts = defineTexts({
  en: {
    once: 'Once',
    every: {
      minutes: (count: number) => (count === 1 ? 'Every minute' : `Every ${count} minutes`),
      hours: (count: number) => (count === 1 ? 'Every hour' : `Every ${count} hours`),
      days: (count: number) => (count === 1 ? 'Every day' : `Every ${count} days`),
      weekdays: 'Every weekday',
      /** `days` may be empty. */
      weeks: (count: number, days: string) =>
        count === 1
          ? `Every ${days === '' ? 'week' : days}`
          : `Every ${count} weeks${days === '' ? '' : ` on ${days}`}`,
      months: (count: number, days: string) =>
        `${count === 1 ? 'Every month' : `Every ${count} months`}${days === '' ? '' : ` on day ${days}`}`,
      lastDay: (count: number) => `${count === 1 ? 'Every month' : `Every ${count} months`} on the last day`,
      /** `nth`: 1 to 5, or -1 for the last one; `weekday`: 0 is Sunday. */
      weekdayOfMonth: (count: number, nth: number, name: string, _weekday: number) =>
        `${count === 1 ? 'Every month' : `Every ${count} months`} on the ${nth === -1 ? 'last' : ORDINALS[nth - 1]} ${name}`,
      years: (count: number) => (count === 1 ? 'Every year' : `Every ${count} years`),
      date: (count: number, dates: string) => `${count === 1 ? 'Every year' : `Every ${count} years`} on ${dates}`,
      /** Further limits of a rule. Each follows a comma. */
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
      minutes: (count) => (count === 1 ? 'Каждую минуту' : `Раз в ${minutes(count)}`),
      hours: (count) => (count === 1 ? 'Каждый час' : `Раз в ${hours(count)}`),
      days: (count) => (count === 1 ? 'Каждый день' : `Раз в ${days(count)}`),
      weekdays: 'По будням',
      weeks: (count, names) =>
        `${count === 1 ? 'Каждую неделю' : `Раз в ${weeks(count)}`}${names === '' ? '' : `: ${names}`}`,
      months: (count, numbers) =>
        `${count === 1 ? 'Каждый месяц' : `Раз в ${months(count)}`}${numbers === '' ? '' : `, числа: ${numbers}`}`,
      lastDay: (count) => `${count === 1 ? 'Каждый месяц' : `Раз в ${months(count)}`}, в последний день`,
      weekdayOfMonth: (count, nth, name, weekday) =>
        `${count === 1 ? 'Каждый месяц' : `Раз в ${months(count)}`}: ${ordinal(nth, weekday)} ${name}`,
      years: (count) => (count === 1 ? 'Каждый год' : `Раз в ${years(count)}`),
      date: (count, dates) => `${count === 1 ? 'Каждый год' : `Раз в ${years(count)}`}, ${dates}`,
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

/** Returns `2-й вторник`, `2-я среда`, `2-е воскресенье` without the day. */
function ordinal(nth: number, weekday: number): string {
  const gender = weekday === 0 ? 2 : [3, 5, 6].includes(weekday) ? 1 : 0;
  if (nth === -1) return ['последний', 'последняя', 'последнее'][gender] ?? '';
  return `${nth}-${['й', 'я', 'е'][gender]}`;
}
