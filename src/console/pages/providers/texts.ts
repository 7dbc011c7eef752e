import { defineTexts } from '../../../bot/texts/define-texts.ts';

export const texts = defineTexts({
  en: {
    none: 'No provider is configured.',
    states: { healthy: 'works', degraded: 'works in part', resting: 'asked last after failures' },
    models: 'Models',
    list: 'List of models',
    noList: 'none yet',
    sources: { host: 'from the provider', cache: 'stored earlier' },
    listFailed: (reason: string) => `The list could not be loaded: ${reason}`,
    median: 'Median of the last hour',
    ms: (count: string) => `${count} ms`,
    circuits: 'Models that failed',
    circuitsAbout:
      'A provider or model that fails several times in a row is asked last for a while, then tried again. Its models still answer.',
    circuit: 'Model',
    whole: 'whole provider',
    state: 'State',
    circuitStates: { closed: 'works', open: 'asked last', 'half-open': 'being tried again' },
    failures: 'Failures in a row',
    openUntil: 'Until',
  },
  ru: {
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
  },
});
