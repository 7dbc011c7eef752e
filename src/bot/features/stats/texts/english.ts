import { englishCost } from '../../../texts/english-units.ts';
import type { Cost } from '../../../texts/money.ts';
import { pluralOf } from '../../../texts/plural.ts';

const NUMBER = new Intl.NumberFormat('en');

/** `4.2 s` */
const seconds = (ms: number) => `${NUMBER.format(Math.round(ms / 100) / 10)} s`;

export const english = {
  command: 'Usage of the service',
  heading: (days: number) =>
    days === 1 ? 'The last 24 hours' : `The last ${pluralOf('en', days, { one: 'day', other: 'days' })}`,
  users: (active: number, fresh: number) => `Users: ${NUMBER.format(active)} active, ${NUMBER.format(fresh)} new`,
  requests: (count: number, failed: number) => `Requests: ${NUMBER.format(count)} (${NUMBER.format(failed)} failed)`,
  amounts: (tokens: number, images: number) => `Tokens: ${NUMBER.format(tokens)}, images: ${NUMBER.format(images)}`,
  cost: (cost: Cost) => `Cost: ${englishCost(cost)}`,
  feedback: (up: number, down: number) => `Feedback: 👍 ${NUMBER.format(up)}, 👎 ${NUMBER.format(down)}`,
  duration: (medianMs: number, slowMs: number) => `Duration: median ${seconds(medianMs)}, 95% under ${seconds(slowMs)}`,
  slowest: 'Slowest models (95% under):',
  model: (name: string, slowMs: number, count: number) =>
    `${name}: ${seconds(slowMs)}, ${pluralOf('en', count, { one: 'request', other: 'requests' })}`,
  days: (days: number) => (days === 1 ? '1 day' : `${days} days`),
  expensive: 'Most expensive models:',
  modelCost: (name: string, cost: Cost) => `${name}: ${englishCost(cost)}`,
  /** Buttons. */
  chart: { requests: 'Requests', tokens: 'Tokens', images: 'Images', dollars: 'Dollars' },
  /** Titles of charts. */
  perDay: {
    requests: 'Requests per day',
    tokens: 'Tokens per day',
    images: 'Images per day',
    dollars: 'Dollars per day',
  },
  others: 'others',
  answered: 'complete',
  failed: 'failed',
  download: 'Download as CSV',
};
