import { englishCount as counted, englishDollars } from '../../../texts/english-units.ts';

const DATE = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' });
const TIME = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' });
const NUMBER = new Intl.NumberFormat('en');
const DOLLARS = new Intl.NumberFormat('en', {
  style: 'currency',
  currency: 'USD',
  minimumFractionDigits: 0,
  maximumFractionDigits: 9,
});

const time = (date: Date) => `${TIME.format(date)} UTC`;
const BAD_DOLLARS = 'This is not an amount in dollars. Send a number from 0 to 1,000,000, like 5 or 2.50, or “none”.';

export const english = {
  command: 'API keys for your programs',
  buttons: {
    revokeNow: 'Yes, revoke',
    make: 'New key',
    makeManaging: 'New key for management',
    makeManagingNow: 'Create it',
    limits: 'Limits',
    rotate: 'New secret',
    pause: 'Pause',
    resume: 'Resume',
    rename: 'Rename',
    revoke: 'Revoke',
    keep: 'Keep it',
    all: 'All keys',
    hide: 'Done, hide it',
    wasMe: 'It was me',
    revokeKey: 'Revoke the key',
  },
  copy: 'Copy the key',
  onlyPrivate: 'Keys are private. Send me this command in our private chat.',
  onlyAdmins: 'Only admins can have keys for management.',
  heading: (count: number, limit: number) => `Your API keys: ${count} of ${limit}.`,
  about: (apiUrl: string) =>
    `With a key, your programs can use the models here on your account. Any OpenAI client works, with the base URL ${apiUrl}`,
  aboutManaging:
    'A key for management can do what an admin can: see all users and their usage, change plans, budgets and keys, and use the models on your account. Whoever has it controls this service.\n\nIt manages nothing as soon as you are no longer an admin.',
  managesByApi: 'It is for the management API, and for the models on your account.',
  none: 'You have no API key yet.',
  askName: 'What is the key for? Send me a name for it, like “laptop”.',
  askNewName: 'Send me the new name. Further lines become the note of the key; a “-” there removes it.',
  badName: (limit: number) => `A name must be 1 to ${limit} characters. Send me another one.`,
  badNote: 'The note, below the first line, must have at most 500 characters. Send me name and note again.',
  full: (limit: number) => `You have ${limit} keys, the maximum. Revoke one first.`,
  made: (name: string) => `Your new key “${name}”. Save it now: I can’t show it again.`,
  baseUrl: (apiUrl: string) => `Base URL: ${apiUrl}`,
  madeOn: (date: Date) => `Created on ${DATE.format(date)}`,
  neverUsed: 'Never used',
  lastUsed: (date: Date, route: string, network: string) => `Last used ${time(date)}, ${route}, from ${network}`,
  usedThisMonth: (sum: string) => `This month: ${sum}`,
  requests: (count: number) => counted(count, 'request', 'requests'),
  tokens: (count: number) => counted(count, 'token', 'tokens'),
  images: (count: number) => counted(count, 'image', 'images'),
  cost: englishDollars,
  unknownCost: 'cost unknown',
  renamed: 'Renamed.',
  askRevoke: 'Revoke this key? Programs that use it will stop working. This can’t be undone.',
  revoked: (name: string) => `“${name}” is revoked.`,
  gone: 'This key no longer exists.',
  isPaused: 'paused',
  isExpired: 'expired',
  paused: 'Paused: programs with this key are refused.',
  resumed: 'The key works again.',
  pausedOn: (date: Date) => `Paused since ${time(date)}`,
  manages: 'Manages the service while you are an admin',
  askRotate: (name: string) =>
    `“${name}” gets a new secret; its limits and its usage stay. When should the old secret stop working?`,
  overlaps: (hours: number) =>
    hours === 0
      ? 'At once'
      : hours < 24
        ? `In ${counted(hours, 'hour', 'hours')}`
        : `In ${counted(hours / 24, 'day', 'days')}`,
  rotated: (name: string, oldUntil: Date | undefined) =>
    `The new secret of “${name}”. Save it now: I can’t show it again. The old one ${oldUntil ? `works until ${time(oldUntil)}` : 'no longer works'}.`,
  oldSecretUntil: (date: Date) => `The old secret works until ${time(date)}`,
  alreadyRotated: 'The key has a newer secret already.',
  allModels: 'Models: all',
  models: (patterns: string, allowed: number, connected: number) =>
    `Models: ${patterns} (${NUMBER.format(allowed)} of ${NUMBER.format(connected)} connected models)`,
  neverExpires: 'Expires: never',
  expires: (date: Date) => `Expires: ${time(date)}`,
  expired: (date: Date) => `Expired: ${time(date)}`,
  noLimits: 'Limits: none',
  limits: (limits: string) => `Limits: ${limits}`,
  requestsPerMinute: (count: number) => `${counted(count, 'request', 'requests')} per minute`,
  tokensPerDay: (count: number) => `${counted(count, 'token', 'tokens')} per day`,
  atOnce: (count: number) => `${counted(count, 'request', 'requests')} at once`,
  noBudget: 'Budget: none',
  noRules: 'It may use all models, without limits of its own.',
  budget: (amounts: string) => `Budget: ${amounts}`,
  perDay: (usd: number) => `${DOLLARS.format(usd)} per day`,
  perMonth: (usd: number) => `${DOLLARS.format(usd)} per month`,
  inTotal: (usd: number) => `${DOLLARS.format(usd)} in total`,
  aboutLimits: 'The limits of your account apply as well: the lower one counts.',
  changed: 'Changed.',
  overPlan: (usd: number) => `Your plan allows a key at most ${DOLLARS.format(usd)} here. Choose a lower amount.`,
  offered: (value: string) => {
    const days = /^(\d+)d$/.exec(value)?.[1];
    return days === undefined ? value : counted(Number(days), 'day', 'days');
  },
  rules: {
    models: {
      name: 'Models',
      about: 'Which models may this key use? Choose providers, or type names and patterns.',
      none: 'All models',
      other: 'Names and patterns…',
      ask: 'Send me the models that the key may use, with * for any characters: gpt-*, anthropic/*',
      bad: 'Send up to 50 names or patterns with commas or spaces between them, each up to 200 characters with at most five *, or “all”.',
    },
    expiry: {
      name: 'Expiry',
      about: 'When should this key stop working?',
      none: 'Never',
      other: 'Date…',
      ask: 'Send me the date on which the key expires, like 2027-03-31. It ends at 00:00 UTC, or at a time that you add: 2027-03-31 18:00',
      bad: 'This is not a date in the next ten years. Send one like 2027-03-31, or 2027-03-31 18:00 with a time in UTC, or “never”.',
    },
    requestsPerMinute: {
      name: 'Requests per minute',
      about: 'How many requests may this key send per minute?',
      none: 'No limit',
      other: 'Number…',
      ask: 'Send me the number of requests per minute.',
      bad: 'Send a whole number from 1 to 1,000,000, or “none”.',
    },
    tokensPerDay: {
      name: 'Tokens per day',
      about: 'How many tokens may this key use per day? Days begin at 00:00 UTC.',
      none: 'No limit',
      other: 'Number…',
      ask: 'Send me the number of tokens per day, like 250000, 250k or 2M.',
      bad: 'Send a whole number from 1 to 1,000,000,000,000, like 250000, 250k or 2M, or “none”.',
    },
    usdPerDay: {
      name: '$ per day',
      about: 'How many US dollars may this key spend per day? Days begin at 00:00 UTC.',
      none: 'No budget',
      other: 'Amount…',
      ask: 'Send me the amount in dollars per day, like 2.50.',
      bad: BAD_DOLLARS,
    },
    usdPerMonth: {
      name: '$ per month',
      about: 'How many US dollars may this key spend per month? Months begin at 00:00 UTC.',
      none: 'No budget',
      other: 'Amount…',
      ask: 'Send me the amount in dollars per month, like 20.',
      bad: BAD_DOLLARS,
    },
    usdTotal: {
      name: '$ in total',
      about: 'How many US dollars may this key spend in total, from now on?',
      none: 'No budget',
      other: 'Amount…',
      ask: 'Send me the amount in dollars, like 100.',
      bad: BAD_DOLLARS,
    },
  },
  newNetwork: 'One of your API keys was used from a new network.',
  usedFrom: (network: string, route: string, date: Date) => `From ${network}, ${route}, ${time(date)}`,
  askNetwork:
    'Was it you, or a program of yours? If not, revoke the key: it stops working at once, which can’t be undone.',
  confirmed: 'It was you.',
  noticedRevoked: 'The key is revoked.',
};
