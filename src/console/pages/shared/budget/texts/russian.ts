import type { english } from './english.ts';

export const russian: typeof english = {
  period: 'Период',
  periods: { day: 'В день', month: 'В месяц', total: 'Всего' },
  spent: 'Потрачено',
  limit: 'Предел',
  origin: 'Откуда',
  setHere: 'задан администратором',
  fromPlan: (name) => `план ${name}`,
  fromSettings: 'файл провайдеров',
  set: 'Задать',
  setHint: 'В долларах; дни по UTC. Пусто: как в плане или в файле провайдеров.',
  inDollars: (period) => `${period}, $`,
  raise: 'Поднять',
  raiseBy: 'На сколько, $',
  reset: 'Сбросить',
  resetBody: 'Снова будут действовать пределы плана или файла провайдеров, если они есть. Потраченное сохранится.',
};
