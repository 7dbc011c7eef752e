import type { english } from './english.ts';

export const russian: typeof english = {
  none: 'Ни один провайдер не настроен.',
  states: { healthy: 'работает', degraded: 'работает частично', resting: 'после сбоев – в конце очереди' },
  models: 'Модели',
  list: 'Список моделей',
  noList: 'ещё нет',
  sources: { host: 'от провайдера', cache: 'сохранён раньше' },
  listFailed: (reason) => `Список не загрузился: ${reason}`,
  median: 'Медиана за последний час',
  ms: (count) => `${count} мс`,
  circuits: 'Модели с ошибками',
  circuitsAbout:
    'После нескольких ошибок подряд к провайдеру или модели некоторое время обращаются в последнюю очередь, а затем пробуют снова. Модели при этом отвечают.',
  circuit: 'Модель',
  whole: 'весь провайдер',
  state: 'Состояние',
  circuitStates: { closed: 'работает', open: 'в конце очереди', 'half-open': 'проверяется' },
  failures: 'Сбоев подряд',
  openUntil: 'До',
};
