import { pluralOf } from '../../../../../bot/texts/plural.ts';
import type { english } from './english.ts';

export const russian: typeof english = {
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
};
