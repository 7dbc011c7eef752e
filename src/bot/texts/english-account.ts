import { englishWait as wait } from './english-units.ts';
import { pluralOf } from './plural.ts';

const DATE = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' });
const TIME = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' });
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
  keys: {
    buttons: {
      revokeNow: 'Yes, revoke',
      make: 'New key',
      rename: 'Rename',
      revoke: 'Revoke',
      keep: 'Keep it',
      all: 'All keys',
      hide: 'I have it',
    },
    copy: 'Copy the key',
    onlyPrivate: 'Keys are between the two of us. Write this to me in our private chat.',
    heading: (count: number, limit: number) => `Your API keys: ${count} of ${limit}.`,
    about: (apiUrl: string) =>
      `With a key your programs use the models here, on your account. Any OpenAI client works, with the base address ${apiUrl}`,
    none: 'You have no API key yet.',
    askName: 'What is the key for? Send me a name for it, like “laptop”.',
    askNewName: 'Send me the new name.',
    badName: (limit: number) => `A name has 1 to ${limit} characters. Send me another one.`,
    full: (limit: number) => `You have ${limit} keys, and that is as many as you may have. Revoke one first.`,
    made: (name: string) => `Your key “${name}”. Keep it now: I don't, and can't show it again.`,
    baseUrl: (apiUrl: string) => `Base address: ${apiUrl}`,
    madeOn: (date: Date) => `Made on ${DATE.format(date)}`,
    neverUsed: 'Never used',
    lastUsed: (date: Date, route: string, network: string) =>
      `Last used ${TIME.format(date)} UTC, ${route}, from ${network}`,
    renamed: 'This is its name now.',
    askRevoke: 'Revoke this key? Programs that use it are refused from then on, and nothing brings it back.',
    revoked: (name: string) => `“${name}” is revoked.`,
    gone: 'This key is no longer there.',
  },
  usage: {
    onlyPrivate: 'What you have used is between the two of us. Write this to me in our private chat.',
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
    newDay: (waitMs: number) => `A new day begins at 00:00 UTC, in ${wait(waitMs)}.`,
    tokensChart: 'Tokens a day',
    picturesChart: 'Pictures a day',
    others: 'others',
  },
  plans: {
    howTo: (plans: string) =>
      `Write /plan, a person's Telegram id and the name of a plan. There are: ${plans}. “default” gives back the usual one.`,
    unknownPerson: (id: string) => `Nobody with the id ${id} has written to me yet.`,
    unknownPlan: (name: string, plans: string) => `There is no plan ${name}. There are: ${plans}.`,
    current: (id: string, plan: string) => `${id} is on the plan ${plan}.`,
    changed: (id: string, plan: string) => `${id} is on the plan ${plan} now.`,
  },
  limits: {
    requests: (waitMs: number) => `That was too fast for me. It goes on in ${wait(waitMs)}.`,
    requestsOfChat: (waitMs: number) => `This chat is too fast for me. It goes on in ${wait(waitMs)}.`,
    tokens: (waitMs: number) =>
      `You have used up the words that you may have in a day. It goes on at 00:00 UTC, in ${wait(waitMs)}. /usage shows more.`,
    tokensOfChat: (waitMs: number) =>
      `This chat has used up the words that it may have in a day. It goes on at 00:00 UTC, in ${wait(waitMs)}.`,
    pictures: (waitMs: number) =>
      `You have used up the pictures that you may have in a day. It goes on at 00:00 UTC, in ${wait(waitMs)}. /usage shows more.`,
    picturesOfChat: (waitMs: number) =>
      `This chat has used up the pictures that it may have in a day. It goes on at 00:00 UTC, in ${wait(waitMs)}.`,
    busy: 'Much is under way here already. It goes on as soon as some of it is done.',
  },
};
