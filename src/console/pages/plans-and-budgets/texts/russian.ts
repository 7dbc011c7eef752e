import type { english } from './english.ts';

export const russian: typeof english = {
  instance: 'Бюджет всего сервиса',
  budgets: 'Бюджеты, заданные администраторами',
  noBudgets: 'Ни у кого нет собственного бюджета.',
  scope: 'Для кого',
  spentOf: { day: 'Сегодня', month: 'В этом месяце', total: 'Всего' },
  plans: 'Тарифы',
  plansHint: 'Тарифы меняются в файле провайдеров.',
  noLimits: 'Ничего не ограничено.',
  limitsOf: (plan) => `Лимиты тарифа ${plan}`,
  limit: 'Лимит',
  limits: {
    requests_per_minute: 'Запросов в минуту',
    tokens_per_day: 'Токенов в день',
    images_per_day: 'Картинок в день',
    at_once: 'Запросов одновременно',
    dollars_per_day: 'Долларов в день',
    dollars_per_month: 'Долларов в месяц',
    dollars_total: 'Долларов всего',
  },
  holders: { person: 'Пользователь', key: 'Ключ', chat: 'Группа', address: 'Адрес' },
  unpriced: 'Модели без известной цены при бюджете',
  tasks: 'Задачи',
  tasksOf: (active, minutes) => `до ${active}, не чаще чем раз в ${minutes} мин`,
};
