import type { english } from './english.ts';

export const russian: typeof english = {
  none: 'Ни один провайдер не настроен.',
  states: { healthy: 'работает', degraded: 'работает частично', resting: 'отдыхает после сбоев' },
  models: 'Модели',
  list: 'Список моделей',
  noList: 'ещё нет',
  sources: { host: 'от провайдера', cache: 'сохранён раньше' },
  listFailed: (reason) => `Список не загрузился: ${reason}`,
  median: 'Медиана за последний час',
  ms: (count) => `${count} мс`,
  circuits: 'Предохранители',
  circuit: 'Предохранитель',
  whole: 'весь провайдер',
  state: 'Состояние',
  circuitStates: { closed: 'замкнут', open: 'разомкнут', 'half-open': 'проверяется' },
  failures: 'Сбоев подряд',
  openUntil: 'Отдыхает до',
};
