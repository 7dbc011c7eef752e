import { pluralOf } from './plural.ts';

const times = (count: number) => pluralOf('en', count, { one: 'time', other: 'times' });
const ORDINALS = ['first', 'second', 'third', 'fourth', 'fifth'];

/** Texts about how often a task runs, in English. */
export const englishRepetition = {
  once: 'Once',
  every: {
    minutes: (count: number) => (count === 1 ? 'Every minute' : `Every ${count} minutes`),
    hours: (count: number) => (count === 1 ? 'Every hour' : `Every ${count} hours`),
    days: (count: number) => (count === 1 ? 'Every day' : `Every ${count} days`),
    weekdays: 'Every weekday',
    /** `days` may be empty. */
    weeks: (count: number, days: string) =>
      count === 1 ? `Every ${days === '' ? 'week' : days}` : `Every ${count} weeks${days === '' ? '' : ` on ${days}`}`,
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
    timesADay: (count: number) => `, ${times(count)} a day`,
    count: (count: number) => `, ${times(count)}`,
    until: (day: string) => `, until ${day}`,
  },
};
