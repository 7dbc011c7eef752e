import { dollarsOf } from '../../../texts/money.ts';

const dollars = (usd: number) => dollarsOf('en', usd);

export const english = {
  budgets: {
    key: 'The budget of your API key',
    own: 'Your budget',
    chat: 'The budget of this chat',
    group: 'The budget of this group',
    instance: 'The budget of the whole service',
  },
  spent: (budget: string, percent: number) => `${budget} is ${percent}% spent.`,
  usedUp: (budget: string) => `${budget} is used up. Requests that cost money are refused.`,
  almostUsedUp: (budget: string) => `${budget} is almost used up: what is left was not enough for a request.`,
  periods: {
    day: (spent: number, limit: number) => `Today: ${dollars(spent)} of ${dollars(limit)}`,
    month: (spent: number, limit: number) => `This month: ${dollars(spent)} of ${dollars(limit)}`,
    total: (spent: number, limit: number) => `In total: ${dollars(spent)} of ${dollars(limit)}`,
  },
  resets: (moment: string) => `Resets on ${moment}.`,
  neverResets: 'This budget doesn’t reset.',
  over: (budget: string) => `${budget} has been reset or removed since this notice.`,
  raised: (usd: number) => `Raised by ${dollars(usd)}.`,
  alreadyRaised: 'This budget was already raised.',
  tooLate: 'This budget has been reset or removed.',
  notAllowed: 'You may not raise this budget by this amount.',
  keyPaused: 'The key is paused.',
  keyRevoked: 'The key is revoked.',
  keyGone: 'This key no longer exists.',
  allPaused: 'All your API keys are paused. /key shows them.',
  askRevoke: 'Revoke this key? Programs that use it will stop working. This can’t be undone.',
  buttons: {
    raise: (usd: number) => `Raise by ${dollars(usd)}`,
    pause: 'Pause the key',
    resume: 'Resume the key',
    revoke: 'Revoke the key',
    revokeNow: 'Yes, revoke',
    keep: 'Keep it',
    pauseAll: 'Pause all my keys',
  },
};
