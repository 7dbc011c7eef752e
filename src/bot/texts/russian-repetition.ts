import type { englishRepetition } from './english-repetition.ts';
import { pluralOf } from './plural.ts';

const times = (count: number) => pluralOf('ru', count, { one: 'раз', few: 'раза', many: 'раз', other: 'раза' });
const hours = (count: number) => pluralOf('ru', count, { one: 'час', few: 'часа', many: 'часов', other: 'часа' });
const days = (count: number) => pluralOf('ru', count, { one: 'день', few: 'дня', many: 'дней', other: 'дня' });
const weeks = (count: number) =>
  pluralOf('ru', count, { one: 'неделю', few: 'недели', many: 'недель', other: 'недели' });
const months = (count: number) =>
  pluralOf('ru', count, { one: 'месяц', few: 'месяца', many: 'месяцев', other: 'месяца' });
const years = (count: number) => pluralOf('ru', count, { one: 'год', few: 'года', many: 'лет', other: 'года' });
const minutes = (count: number) =>
  pluralOf('ru', count, { one: 'минуту', few: 'минуты', many: 'минут', other: 'минуты' });
/** Returns `2-й вторник`, `2-я среда`, `2-е воскресенье` without the day. */
function ordinal(nth: number, weekday: number): string {
  const gender = weekday === 0 ? 2 : [3, 5, 6].includes(weekday) ? 1 : 0;
  if (nth === -1) return ['последний', 'последняя', 'последнее'][gender] ?? '';
  return `${nth}-${['й', 'я', 'е'][gender]}`;
}

/** Texts about how often a task runs, in Russian. */
export const russianRepetition: typeof englishRepetition = {
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
    timesADay: (count) => `, ${times(count)} в день`,
    count: (count) => `, ${times(count)}`,
    until: (day) => `, до ${day}`,
  },
};
