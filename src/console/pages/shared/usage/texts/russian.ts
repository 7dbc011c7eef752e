import { pluralOf } from '../../../../../bot/texts/plural.ts';
import type { english } from './english.ts';

export const russian: typeof english = {
  days: (count) => pluralOf('ru', count, { one: 'день', few: 'дня', other: 'дней' }),
  period: 'Период',
  chart: { cost_usd: 'Расходы', tokens: 'Токены', requests: 'Запросы' },
  shown: 'Показать',
  perDay: { cost_usd: 'Расходы по дням', tokens: 'Токены по дням', requests: 'Запросы по дням' },
  byModel: 'По моделям',
  model: 'Модель',
  requests: 'Запросы',
  tokens: 'Токены',
  images: 'Картинки',
  cost: 'Расходы',
  others: 'Остальные',
  none: 'За этот период запросов не было.',
  unpriced: (count) =>
    `Цена неизвестна у ${pluralOf('ru', count, { one: 'запроса', few: 'запросов', other: 'запросов' })}.`,
  csv: 'Скачать CSV',
};
