import { defineTexts } from '../../../texts/define-texts.ts';
import type { Cost } from '../../../texts/money.ts';
import { pluralOf } from '../../../texts/plural.ts';
import { englishCost, englishCount, russianCost } from '../../../texts/units.ts';

const ENGLISH_CHANGE = new Intl.NumberFormat('en', { style: 'percent', signDisplay: 'exceptZero' });
const ENGLISH_NUMBER = new Intl.NumberFormat('en');
/** `4.2 s` */
const englishSeconds = (ms: number) => `${ENGLISH_NUMBER.format(Math.round(ms / 100) / 10)} s`;
const requestsOf = (count: number) => englishCount(count, 'request', 'requests');
const RUSSIAN_CHANGE = new Intl.NumberFormat('ru', { style: 'percent', signDisplay: 'exceptZero' });
const RUSSIAN_NUMBER = new Intl.NumberFormat('ru');
/** `4,2 с` */
const russianSeconds = (ms: number) => `${RUSSIAN_NUMBER.format(Math.round(ms / 100) / 10)} с`;
const requests = (count: number) =>
  pluralOf('ru', count, { one: 'запрос', few: 'запроса', many: 'запросов', other: 'запроса' });

export const texts = defineTexts({
  en: {
    command: 'Usage of the service',
    heading: (days: number) =>
      days === 1 ? 'The last 24 hours' : `The last ${pluralOf('en', days, { one: 'day', other: 'days' })}`,
    users: (active: number, fresh: number) =>
      `Users: ${ENGLISH_NUMBER.format(active)} active, ${ENGLISH_NUMBER.format(fresh)} new`,
    requests: (count: number, failed: number) =>
      `Requests: ${ENGLISH_NUMBER.format(count)} (${ENGLISH_NUMBER.format(failed)} failed)`,
    amounts: (tokens: number, images: number) =>
      `Tokens: ${ENGLISH_NUMBER.format(tokens)}, images: ${ENGLISH_NUMBER.format(images)}`,
    cost: (cost: Cost) => `Cost: ${englishCost(cost)}`,
    feedback: (up: number, down: number) =>
      `Feedback: 👍 ${ENGLISH_NUMBER.format(up)}, 👎 ${ENGLISH_NUMBER.format(down)}`,
    duration: (medianMs: number, slowMs: number) =>
      `Duration: median ${englishSeconds(medianMs)}, 95% under ${englishSeconds(slowMs)}`,
    slowest: 'Slowest models (95% under):',
    model: (name: string, slowMs: number, count: number) =>
      `${name}: ${englishSeconds(slowMs)}, ${pluralOf('en', count, { one: 'request', other: 'requests' })}`,
    days: (days: number) => (days === 1 ? '1 day' : `${days} days`),
    expensive: 'Most expensive models:',
    modelCost: (name: string, cost: Cost) => `${name}: ${englishCost(cost)}`,
    /** Buttons. */
    chart: { requests: 'Requests', tokens: 'Tokens', images: 'Images', dollars: 'Dollars' },
    /** Titles of charts. */
    perDay: {
      requests: 'Requests per day',
      tokens: 'Tokens per day',
      images: 'Images per day',
      dollars: 'Dollars per day',
    },
    others: 'others',
    monthly: 'Month',
    monthSoFar: (month: string) => `${month} so far`,
    wholeMonth: (month: string) => month,
    requestsOf: (count: number, users: number) =>
      `Requests: ${ENGLISH_NUMBER.format(count)} of ${pluralOf('en', users, { one: 'user', other: 'users' })}`,
    before: (month: string, count: number, cost: Cost) => `${month}: ${requestsOf(count)}, ${englishCost(cost)}`,
    /** `share`: 0.18 is 18% more than in the month before. */
    change: (share: number) => `Change of cost: ${ENGLISH_CHANGE.format(share)}`,
    topModels: 'Top models:',
    topUsers: 'Top users:',
    user: (id: number) => `User ${id}`,
    universalKey: 'Universal key',
    top: (name: string, count: number, cost: Cost) => `${name}: ${requestsOf(count)}, ${englishCost(cost)}`,
    sendSummaries: 'Send me this on the 1st of each month',
    stopSummaries: 'Stop sending me this monthly',
    summariesOn: 'You’ll get the summary of each month on the 1st of the next one.',
    summariesOff: 'You won’t get monthly summaries.',
    answered: 'complete',
    failed: 'failed',
    download: 'Download as CSV',
  },
  ru: {
    command: 'Как пользуются сервисом',
    heading: (days) =>
      days === 1
        ? 'Последние 24 часа'
        : `За ${pluralOf('ru', days, { one: 'день', few: 'дня', many: 'дней', other: 'дня' })}`,
    users: (active, fresh) =>
      `Пользователи: активных — ${RUSSIAN_NUMBER.format(active)}, новых — ${RUSSIAN_NUMBER.format(fresh)}`,
    requests: (count, failed) =>
      `Запросы: ${RUSSIAN_NUMBER.format(count)} (неудачных: ${RUSSIAN_NUMBER.format(failed)})`,
    amounts: (tokens, images) => `Токены: ${RUSSIAN_NUMBER.format(tokens)}, картинки: ${RUSSIAN_NUMBER.format(images)}`,
    cost: (cost) => `Стоимость: ${russianCost(cost)}`,
    feedback: (up, down) => `Отзывы: 👍 ${RUSSIAN_NUMBER.format(up)}, 👎 ${RUSSIAN_NUMBER.format(down)}`,
    duration: (medianMs, slowMs) =>
      `Длительность: медиана ${russianSeconds(medianMs)}, 95% — до ${russianSeconds(slowMs)}`,
    slowest: 'Самые медленные модели (95% — до):',
    model: (name, slowMs, count) => `${name}: ${russianSeconds(slowMs)}, ${requests(count)}`,
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
    requestsOf: (count, users) =>
      `Запросы: ${RUSSIAN_NUMBER.format(count)}, пользователи: ${RUSSIAN_NUMBER.format(users)}`,
    before: (month, count, cost) => `${month}: ${requests(count)}, ${russianCost(cost)}`,
    change: (share) => `Изменение стоимости: ${RUSSIAN_CHANGE.format(share)}`,
    topModels: 'Модели с наибольшим расходом:',
    topUsers: 'Пользователи с наибольшим расходом:',
    user: (id) => `Пользователь ${id}`,
    universalKey: 'Универсальный ключ',
    top: (name, count, cost) => `${name}: ${requests(count)}, ${russianCost(cost)}`,
    sendSummaries: 'Присылать 1-го числа каждого месяца',
    stopSummaries: 'Больше не присылать',
    summariesOn: 'Итоги месяца будут приходить 1-го числа следующего.',
    summariesOff: 'Итоги месяца больше не будут приходить.',
    answered: 'завершены',
    failed: 'неудачны',
    download: 'Скачать CSV',
  },
});
