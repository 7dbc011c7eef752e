import { defineTexts } from '../../texts/define-texts.ts';
import { englishWait, russianWait } from '../../texts/units.ts';

/** `until`: date and time. */
const englishBudgetOf = (owner: string) => ({
  day: (until: string) => `${owner} daily budget is used up until ${until}.`,
  month: (until: string) => `${owner} monthly budget is used up until ${until}.`,
  total: () => `${owner} budget is used up.`,
});

const russianBudgetOf = (owner: string) => ({
  day: (until: string) => `Дневной бюджет${owner} исчерпан до ${until}.`,
  month: (until: string) => `Месячный бюджет${owner} исчерпан до ${until}.`,
  total: () => `Бюджет${owner} исчерпан.`,
});

/** Texts about reached limits. */
export const limitTexts = defineTexts({
  en: {
    requests: (waitMs: number) => `Too many requests. Try again in ${englishWait(waitMs)}.`,
    requestsOfChat: (waitMs: number) => `Too many requests from this chat. Try again in ${englishWait(waitMs)}.`,
    tokens: (waitMs: number) =>
      `You’ve reached today’s limit. It resets at 00:00 UTC (in ${englishWait(waitMs)}). /usage shows more.`,
    tokensOfChat: (waitMs: number) =>
      `This chat has reached today’s limit. It resets at 00:00 UTC (in ${englishWait(waitMs)}).`,
    images: (waitMs: number) =>
      `You’ve reached today’s image limit. It resets at 00:00 UTC (in ${englishWait(waitMs)}). /usage shows more.`,
    imagesOfChat: (waitMs: number) =>
      `This chat has reached today’s image limit. It resets at 00:00 UTC (in ${englishWait(waitMs)}).`,
    busy: 'You already have too many requests running. Try again when one of them has finished.',
    budget: {
      own: englishBudgetOf('Your'),
      chat: englishBudgetOf('This chat’s'),
      instance: englishBudgetOf('The service’s'),
    },
  },
  ru: {
    requests: (waitMs) => `Слишком много запросов. Попробуйте через ${russianWait(waitMs)}.`,
    requestsOfChat: (waitMs) => `Слишком много запросов из этого чата. Попробуйте через ${russianWait(waitMs)}.`,
    tokens: (waitMs) =>
      `Дневной лимит исчерпан. Он обновится в 00:00 UTC (через ${russianWait(waitMs)}). Подробности: /usage.`,
    tokensOfChat: (waitMs) =>
      `Дневной лимит этого чата исчерпан. Он обновится в 00:00 UTC (через ${russianWait(waitMs)}).`,
    images: (waitMs) =>
      `Дневной лимит картинок исчерпан. Он обновится в 00:00 UTC (через ${russianWait(waitMs)}). Подробности: /usage.`,
    imagesOfChat: (waitMs) =>
      `Дневной лимит картинок этого чата исчерпан. Он обновится в 00:00 UTC (через ${russianWait(waitMs)}).`,
    busy: 'Слишком много ваших запросов уже выполняется. Попробуйте, когда один из них будет готов.',
    budget: { own: russianBudgetOf(''), chat: russianBudgetOf(' этого чата'), instance: russianBudgetOf(' сервиса') },
  },
});
