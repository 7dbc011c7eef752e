import { englishCost, englishCount } from '../../../texts/english-units.ts';
import type { Cost } from '../../../texts/money.ts';
import { pluralOf } from '../../../texts/plural.ts';

const CHANGE = new Intl.NumberFormat('en', { style: 'percent', signDisplay: 'exceptZero' });
const NUMBER = new Intl.NumberFormat('en');

/** `4.2 s` */
const seconds = (ms: number) => `${NUMBER.format(Math.round(ms / 100) / 10)} s`;

const requestsOf = (count: number) => englishCount(count, 'request', 'requests');

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
  monthly: 'Month',
  monthSoFar: (month: string) => `${month} so far`,
  wholeMonth: (month: string) => month,
  requestsOf: (count: number, users: number) =>
    `Requests: ${NUMBER.format(count)} of ${pluralOf('en', users, { one: 'user', other: 'users' })}`,
  before: (month: string, count: number, cost: Cost) => `${month}: ${requestsOf(count)}, ${englishCost(cost)}`,
  /** `share`: 0.18 is 18% more than in the month before. */
  change: (share: number) => `Change of cost: ${CHANGE.format(share)}`,
  topModels: 'Top models:',
  topUsers: 'Top users:',
  user: (id: number) => `User ${id}`,
  top: (name: string, count: number, cost: Cost) => `${name}: ${requestsOf(count)}, ${englishCost(cost)}`,
  sendSummaries: 'Send me this on the 1st of each month',
  stopSummaries: 'Stop sending me this monthly',
  summariesOn: 'You’ll get the summary of each month on the 1st of the next one.',
  summariesOff: 'You won’t get monthly summaries.',
  answered: 'complete',
  failed: 'failed',
  download: 'Download as CSV',
};
