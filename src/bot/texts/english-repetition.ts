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
    rule: (rule: string) => `By the rule ${rule}`,
    at: (time: string) => ` at ${time}`,
    count: (count: number) => `, ${times(count)}`,
    until: (day: string) => `, until ${day}`,
  },
};
