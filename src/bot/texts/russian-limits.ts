import type { Texts } from './english.ts';
import { russianWait as wait } from './russian-units.ts';

const budgetOf = (owner: string) => ({
  day: (until: string) => `Дневной бюджет${owner} исчерпан до ${until}.`,
  month: (until: string) => `Месячный бюджет${owner} исчерпан до ${until}.`,
  total: () => `Бюджет${owner} исчерпан.`,
});

/** Texts about reached limits, in Russian. */
export const russianLimits: Texts['limits'] = {
  requests: (waitMs) => `Слишком много запросов. Попробуйте через ${wait(waitMs)}.`,
  requestsOfChat: (waitMs) => `Слишком много запросов из этого чата. Попробуйте через ${wait(waitMs)}.`,
  tokens: (waitMs) => `Дневной лимит исчерпан. Он обновится в 00:00 UTC (через ${wait(waitMs)}). Подробности: /usage.`,
  tokensOfChat: (waitMs) => `Дневной лимит этого чата исчерпан. Он обновится в 00:00 UTC (через ${wait(waitMs)}).`,
  images: (waitMs) =>
    `Дневной лимит картинок исчерпан. Он обновится в 00:00 UTC (через ${wait(waitMs)}). Подробности: /usage.`,
  imagesOfChat: (waitMs) =>
    `Дневной лимит картинок этого чата исчерпан. Он обновится в 00:00 UTC (через ${wait(waitMs)}).`,
  busy: 'Слишком много ваших запросов уже выполняется. Попробуйте, когда один из них будет готов.',
  budget: { own: budgetOf(''), chat: budgetOf(' этого чата'), instance: budgetOf(' сервиса') },
};
