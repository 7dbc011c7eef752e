import { englishWait as wait } from './english-units.ts';

/** `until`: date and time. */
const budgetOf = (owner: string) => ({
  day: (until: string) => `${owner} daily budget is used up until ${until}.`,
  month: (until: string) => `${owner} monthly budget is used up until ${until}.`,
  total: () => `${owner} budget is used up.`,
});

/** Texts about reached limits, in English. */
export const englishLimits = {
  requests: (waitMs: number) => `Too many requests. Try again in ${wait(waitMs)}.`,
  requestsOfChat: (waitMs: number) => `Too many requests from this chat. Try again in ${wait(waitMs)}.`,
  tokens: (waitMs: number) =>
    `You’ve reached today’s limit. It resets at 00:00 UTC (in ${wait(waitMs)}). /usage shows more.`,
  tokensOfChat: (waitMs: number) => `This chat has reached today’s limit. It resets at 00:00 UTC (in ${wait(waitMs)}).`,
  images: (waitMs: number) =>
    `You’ve reached today’s image limit. It resets at 00:00 UTC (in ${wait(waitMs)}). /usage shows more.`,
  imagesOfChat: (waitMs: number) =>
    `This chat has reached today’s image limit. It resets at 00:00 UTC (in ${wait(waitMs)}).`,
  busy: 'You already have too many requests running. Try again when one of them has finished.',
  budget: { own: budgetOf('Your'), chat: budgetOf('This chat’s'), instance: budgetOf('The service’s') },
};
