import type { english } from './english.ts';

export const russian: typeof english = {
  period: 'Период',
  periods: { day: 'В день', month: 'В месяц', total: 'Всего' },
  spent: 'Потрачено',
  limit: 'Лимит',
  origin: 'Откуда',
  setHere: 'задан администратором',
  fromPlan: (name) => `тариф ${name}`,
  fromSettings: 'файл провайдеров',
  set: 'Задать',
  setHint: 'В долларах; дни по UTC. Пусто: как в тарифе или в файле провайдеров.',
  inDollars: (period) => `${period}, $`,
  raise: 'Поднять',
  raiseBy: 'На сколько, $',
  reset: 'Сбросить',
  resetBody: 'Снова будут действовать лимиты тарифа или файла провайдеров, если они есть. Потраченное сохранится.',
};
