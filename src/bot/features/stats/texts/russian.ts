import { pluralOf } from '../../../texts/plural.ts';
import type { english } from './english.ts';

const NUMBER = new Intl.NumberFormat('ru');
const DOLLARS = new Intl.NumberFormat('ru', { style: 'currency', currency: 'USD' });

/** `4,2 с` */
const seconds = (ms: number) => `${NUMBER.format(Math.round(ms / 100) / 10)} с`;

const requests = (count: number) =>
  pluralOf('ru', count, { one: 'запрос', few: 'запроса', many: 'запросов', other: 'запроса' });

export const russian: typeof english = {
  command: 'Как пользуются сервисом',
  heading: (days) =>
    days === 1
      ? 'Последние 24 часа'
      : `За ${pluralOf('ru', days, { one: 'день', few: 'дня', many: 'дней', other: 'дня' })}`,
  users: (active, fresh) => `Пользователи: активных — ${NUMBER.format(active)}, новых — ${NUMBER.format(fresh)}`,
  requests: (count, failed) => `Запросы: ${NUMBER.format(count)} (неудачных: ${NUMBER.format(failed)})`,
  amounts: (tokens, images) => `Токены: ${NUMBER.format(tokens)}, картинки: ${NUMBER.format(images)}`,
  cost: (dollars) => `Стоимость: ${DOLLARS.format(dollars)}`,
  costUnknown: 'Стоимость: неизвестна (нет цен)',
  feedback: (up, down) => `Отзывы: 👍 ${NUMBER.format(up)}, 👎 ${NUMBER.format(down)}`,
  duration: (medianMs, slowMs) => `Длительность: медиана ${seconds(medianMs)}, 95% — до ${seconds(slowMs)}`,
  slowest: 'Самые медленные модели (95% — до):',
  model: (name, slowMs, count) => `${name}: ${seconds(slowMs)}, ${requests(count)}`,
  days: (days) => pluralOf('ru', days, { one: 'день', few: 'дня', many: 'дней', other: 'дня' }),
  chart: 'Запросы по дням',
  answered: 'завершены',
  failed: 'неудачны',
  download: 'Скачать CSV',
};
