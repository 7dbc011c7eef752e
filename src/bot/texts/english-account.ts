import { englishWait as wait } from './english-units.ts';
import { pluralOf } from './plural.ts';

const NUMBER = new Intl.NumberFormat('en');
const DOLLARS = new Intl.NumberFormat('en', {
  style: 'currency',
  currency: 'USD',
  minimumFractionDigits: 2,
  maximumFractionDigits: 4,
});

const counted = (count: number, one: string, other: string) =>
  `${NUMBER.format(count)} ${new Intl.PluralRules('en').select(count) === 'one' ? one : other}`;

/** The bot's own words about keys, use and limits, in English. */
export const englishAccount = {
  usage: {
    onlyPrivate: 'Your usage is private. Send me this command in our private chat.',
    none: 'You have used nothing this month.',
    today: (sum: string) => `Today: ${sum}`,
    month: (sum: string) => `This month: ${sum}`,
    byModel: 'This month by model:',
    model: (name: string, sum: string) => `${name}: ${sum}`,
    more: (count: number) => pluralOf('en', count, { one: 'more model', other: 'more models' }),
    requests: (count: number) => counted(count, 'request', 'requests'),
    tokens: (count: number) => counted(count, 'token', 'tokens'),
    pictures: (count: number) => counted(count, 'picture', 'pictures'),
    cost: (dollars: number) => DOLLARS.format(dollars),
    left: 'Left for you:',
    leftRequests: (left: number, limit: number) =>
      `${NUMBER.format(left)} of ${counted(limit, 'request', 'requests')} this minute`,
    leftTokens: (left: number, limit: number) => `${NUMBER.format(left)} of ${counted(limit, 'token', 'tokens')} today`,
    leftPictures: (left: number, limit: number) =>
      `${NUMBER.format(left)} of ${counted(limit, 'picture', 'pictures')} today`,
    newDay: (waitMs: number) => `Limits reset at 00:00 UTC, in ${wait(waitMs)}.`,
    tokensChart: 'Tokens a day',
    picturesChart: 'Pictures a day',
    others: 'others',
  },
  plans: {
    howTo: (plans: string) =>
      `Write /plan, a user's Telegram id and the name of a plan. Plans: ${plans}. “default” restores the usual one.`,
    unknownPerson: (id: string) => `No user with the id ${id} has written to me yet.`,
    unknownPlan: (name: string, plans: string) => `There is no plan ${name}. Plans: ${plans}.`,
    current: (id: string, plan: string) => `${id} is on the plan ${plan}.`,
    changed: (id: string, plan: string) => `${id} is on the plan ${plan} now.`,
  },
  limits: {
    requests: (waitMs: number) => `Too many requests. Try again in ${wait(waitMs)}.`,
    requestsOfChat: (waitMs: number) => `Too many requests from this chat. Try again in ${wait(waitMs)}.`,
    tokens: (waitMs: number) =>
      `You've reached today's limit. It resets at 00:00 UTC (in ${wait(waitMs)}). /usage shows more.`,
    tokensOfChat: (waitMs: number) =>
      `This chat has reached today's limit. It resets at 00:00 UTC (in ${wait(waitMs)}).`,
    pictures: (waitMs: number) =>
      `You've reached today's limit of pictures. It resets at 00:00 UTC (in ${wait(waitMs)}). /usage shows more.`,
    picturesOfChat: (waitMs: number) =>
      `This chat has reached today's limit of pictures. It resets at 00:00 UTC (in ${wait(waitMs)}).`,
    busy: 'Too many of your requests are running already. Try again when one of them is finished.',
  },
};
