import { defineTexts } from '../../../bot/texts/define-texts.ts';

export const texts = defineTexts({
  en: {
    left: 'Remaining',
    noLimits: 'No limits.',
    quota: {
      requests_per_minute: 'Requests per minute',
      tokens_per_day: 'Tokens today',
      images_per_day: 'Images today',
    },
    budget: { day: 'Budget of today', month: 'Budget of this month', total: 'Budget' },
    of: (left: string, limit: string) => `${left} of ${limit} left`,
    until: (time: string) => `until ${time}`,
  },
  ru: {
    left: 'Что осталось',
    noLimits: 'Вас ничто не ограничивает.',
    quota: {
      requests_per_minute: 'Запросов в минуту',
      tokens_per_day: 'Токенов сегодня',
      images_per_day: 'Картинок сегодня',
    },
    budget: { day: 'Бюджет на сегодня', month: 'Бюджет на месяц', total: 'Бюджет' },
    of: (left, limit) => `осталось ${left} из ${limit}`,
    until: (time) => `до ${time}`,
  },
});
