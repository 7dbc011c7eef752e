import type { english } from './english.ts';

export const russian: typeof english = {
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
};
