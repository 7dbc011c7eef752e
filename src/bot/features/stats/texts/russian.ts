import { pluralOf } from '../../../texts/plural.ts';
import { russianCost } from '../../../texts/russian-units.ts';
import type { english } from './english.ts';

const CHANGE = new Intl.NumberFormat('ru', { style: 'percent', signDisplay: 'exceptZero' });
const NUMBER = new Intl.NumberFormat('ru');

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
  cost: (cost) => `Стоимость: ${russianCost(cost)}`,
  feedback: (up, down) => `Отзывы: 👍 ${NUMBER.format(up)}, 👎 ${NUMBER.format(down)}`,
  duration: (medianMs, slowMs) => `Длительность: медиана ${seconds(medianMs)}, 95% — до ${seconds(slowMs)}`,
  slowest: 'Самые медленные модели (95% — до):',
  model: (name, slowMs, count) => `${name}: ${seconds(slowMs)}, ${requests(count)}`,
  days: (days) => pluralOf('ru', days, { one: 'день', few: 'дня', many: 'дней', other: 'дня' }),
  expensive: 'Самые дорогие модели:',
  modelCost: (name, cost) => `${name}: ${russianCost(cost)}`,
  chart: { requests: 'Запросы', tokens: 'Токены', images: 'Картинки', dollars: 'Доллары' },
  perDay: {
    requests: 'Запросы по дням',
    tokens: 'Токены по дням',
    images: 'Картинки по дням',
    dollars: 'Доллары по дням',
  },
  others: 'другие',
  monthly: 'Месяц',
  monthSoFar: (month) => `${month}, на сегодня`,
  wholeMonth: (month) => month,
  requestsOf: (count, users) => `Запросы: ${NUMBER.format(count)}, пользователи: ${NUMBER.format(users)}`,
  before: (month, count, cost) => `${month}: ${requests(count)}, ${russianCost(cost)}`,
  change: (share) => `Изменение стоимости: ${CHANGE.format(share)}`,
  topModels: 'Модели с наибольшим расходом:',
  topUsers: 'Пользователи с наибольшим расходом:',
  user: (id) => `Пользователь ${id}`,
  top: (name, count, cost) => `${name}: ${requests(count)}, ${russianCost(cost)}`,
  sendSummaries: 'Присылать 1-го числа каждого месяца',
  stopSummaries: 'Больше не присылать',
  summariesOn: 'Итоги месяца будут приходить 1-го числа следующего.',
  summariesOff: 'Итоги месяца больше не будут приходить.',
  answered: 'завершены',
  failed: 'неудачны',
  download: 'Скачать CSV',
};
