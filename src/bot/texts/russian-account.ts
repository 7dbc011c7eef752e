import type { Texts } from './english.ts';
import { type PluralForms, pluralOf } from './plural.ts';
import { russianWait as wait } from './russian-units.ts';

const NUMBER = new Intl.NumberFormat('ru');
const DOLLARS = new Intl.NumberFormat('ru', {
  style: 'currency',
  currency: 'USD',
  minimumFractionDigits: 2,
  maximumFractionDigits: 4,
});

const counted = (count: number, forms: PluralForms) =>
  `${NUMBER.format(count)} ${forms[new Intl.PluralRules('ru').select(count)] ?? forms.other}`;
const requests = (count: number) =>
  counted(count, { one: 'запрос', few: 'запроса', many: 'запросов', other: 'запроса' });
const tokens = (count: number) => counted(count, { one: 'токен', few: 'токена', many: 'токенов', other: 'токена' });
const pictures = (count: number) =>
  counted(count, { one: 'картинка', few: 'картинки', many: 'картинок', other: 'картинки' });

/** The bot's own words about keys, use and limits, in Russian. */
export const russianAccount: Texts['account'] = {
  usage: {
    onlyPrivate: 'Ваш расход – только между нами. Напишите мне это в личном чате.',
    none: 'В этом месяце вы ещё ничего не израсходовали.',
    today: (sum) => `Сегодня: ${sum}`,
    month: (sum) => `В этом месяце: ${sum}`,
    byModel: 'В этом месяце по моделям:',
    model: (name, sum) => `${name}: ${sum}`,
    more: (count) => `ещё ${pluralOf('ru', count, { one: 'модель', few: 'модели', many: 'моделей', other: 'модели' })}`,
    requests,
    tokens,
    pictures,
    cost: (dollars) => DOLLARS.format(dollars),
    left: 'Осталось для вас:',
    leftRequests: (left, limit) => `запросов в эту минуту: ${NUMBER.format(left)} из ${NUMBER.format(limit)}`,
    leftTokens: (left, limit) => `токенов на сегодня: ${NUMBER.format(left)} из ${NUMBER.format(limit)}`,
    leftPictures: (left, limit) => `картинок на сегодня: ${NUMBER.format(left)} из ${NUMBER.format(limit)}`,
    newDay: (waitMs) => `Лимиты обновятся в 00:00 UTC, через ${wait(waitMs)}.`,
    tokensChart: 'Токены по дням',
    picturesChart: 'Картинки по дням',
    others: 'другие',
  },
  plans: {
    howTo: (plans) =>
      `Напишите /plan, id человека в Telegram и имя тарифа. Тарифы: ${plans}. «default» вернёт обычный.`,
    unknownPerson: (id) => `Никто с id ${id} мне ещё не писал.`,
    unknownPlan: (name, plans) => `Тарифа ${name} нет. Тарифы: ${plans}.`,
    current: (id, plan) => `Тариф ${id}: ${plan}.`,
    changed: (id, plan) => `Тариф ${id} теперь ${plan}.`,
  },
  limits: {
    requests: (waitMs) => `Слишком много запросов. Попробуйте через ${wait(waitMs)}.`,
    requestsOfChat: (waitMs) => `Слишком много запросов из этого чата. Попробуйте через ${wait(waitMs)}.`,
    tokens: (waitMs) =>
      `Дневной лимит исчерпан. Он обновится в 00:00 UTC (через ${wait(waitMs)}). Подробности: /usage.`,
    tokensOfChat: (waitMs) => `Дневной лимит этого чата исчерпан. Он обновится в 00:00 UTC (через ${wait(waitMs)}).`,
    pictures: (waitMs) =>
      `Дневной лимит картинок исчерпан. Он обновится в 00:00 UTC (через ${wait(waitMs)}). Подробности: /usage.`,
    picturesOfChat: (waitMs) =>
      `Дневной лимит картинок этого чата исчерпан. Он обновится в 00:00 UTC (через ${wait(waitMs)}).`,
    busy: 'Слишком много ваших запросов уже выполняется. Попробуйте, когда один из них будет готов.',
  },
};
