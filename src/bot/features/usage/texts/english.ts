import {
  englishCount as counted,
  englishDollars as dollars,
  englishCost,
  englishWait as wait,
} from '../../../texts/english-units.ts';
import { pluralOf } from '../../../texts/plural.ts';

const NUMBER = new Intl.NumberFormat('en');

const leftOf = (period: string) => (left: number, limit: number, until: string | undefined) =>
  `${dollars(left)} of ${dollars(limit)} ${period}${until === undefined ? '' : `, until ${until}`}`;

export const english = {
  command: 'Your usage and limits',
  onlyPrivate: 'Your usage is private. Send me this command in our private chat.',
  none: 'No usage this month.',
  today: (sum: string) => `Today: ${sum}`,
  month: (sum: string) => `This month: ${sum}`,
  byModel: 'This month by model:',
  model: (name: string, sum: string) => `${name}: ${sum}`,
  more: (count: number) => pluralOf('en', count, { one: 'more model', other: 'more models' }),
  requests: (count: number) => counted(count, 'request', 'requests'),
  tokens: (count: number) => counted(count, 'token', 'tokens'),
  images: (count: number) => counted(count, 'image', 'images'),
  cost: englishCost,
  left: 'Remaining:',
  leftRequests: (left: number, limit: number) =>
    `${NUMBER.format(left)} of ${counted(limit, 'request', 'requests')} this minute`,
  leftTokens: (left: number, limit: number) => `${NUMBER.format(left)} of ${counted(limit, 'token', 'tokens')} today`,
  leftImages: (left: number, limit: number) => `${NUMBER.format(left)} of ${counted(limit, 'image', 'images')} today`,
  /** `until`: date and time at which the budget resets. */
  leftDollars: {
    day: leftOf('today'),
    month: leftOf('this month'),
    total: leftOf('in total'),
  },
  newDay: (waitMs: number) => `Limits reset at 00:00 UTC, in ${wait(waitMs)}.`,
  /** Buttons. */
  chart: { tokens: 'Tokens', images: 'Images', dollars: 'Dollars' },
  /** Titles of charts. */
  perDay: { tokens: 'Tokens per day', images: 'Images per day', dollars: 'Dollars per day' },
  others: 'others',
};
