import { defineTexts } from '../../../../bot/texts/define-texts.ts';
import { pluralOf } from '../../../../bot/texts/plural.ts';

export const texts = defineTexts({
  en: {
    days: (count: number) => `${count} days`,
    period: 'Period',
    figures: { cost_usd: 'Cost', tokens: 'Tokens', requests: 'Requests', images: 'Images' },
    shown: 'Show',
    perDay: { cost_usd: 'Cost per day', tokens: 'Tokens per day', requests: 'Requests per day' },
    byModel: 'By model',
    model: 'Model',
    others: 'Others',
    none: 'No usage in this period.',
    unpriced: (count: number) =>
      `The cost of ${pluralOf('en', count, { one: 'request', other: 'requests' })} is not known.`,
    csv: 'Download CSV',
  },
  ru: {
    days: (count) => pluralOf('ru', count, { one: 'день', few: 'дня', other: 'дней' }),
    period: 'Период',
    figures: { cost_usd: 'Стоимость', tokens: 'Токены', requests: 'Запросы', images: 'Картинки' },
    shown: 'Показать',
    perDay: { cost_usd: 'Стоимость по дням', tokens: 'Токены по дням', requests: 'Запросы по дням' },
    byModel: 'По моделям',
    model: 'Модель',
    others: 'Остальные',
    none: 'За этот период запросов не было.',
    unpriced: (count) =>
      `Цена неизвестна у ${pluralOf('ru', count, { one: 'запроса', few: 'запросов', other: 'запросов' })}.`,
    csv: 'Скачать CSV',
  },
});
