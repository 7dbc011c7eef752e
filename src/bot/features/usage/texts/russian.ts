import { countOf, type PluralForms, pluralOf } from '../../../texts/plural.ts';
import { russianDollars as dollars, russianCost, russianWait as wait } from '../../../texts/russian-units.ts';
import type { english } from './english.ts';

const NUMBER = new Intl.NumberFormat('ru');
const counted = (count: number, forms: PluralForms) => countOf('ru', count, forms);
const requests = (count: number) =>
  counted(count, { one: 'запрос', few: 'запроса', many: 'запросов', other: 'запроса' });
const tokens = (count: number) => counted(count, { one: 'токен', few: 'токена', many: 'токенов', other: 'токена' });
const images = (count: number) =>
  counted(count, { one: 'картинка', few: 'картинки', many: 'картинок', other: 'картинки' });

const leftOf = (period: string) => (left: number, limit: number, until: string | undefined) =>
  `${dollars(left)} из ${dollars(limit)} ${period}${until === undefined ? '' : `, до ${until}`}`;

export const russian: typeof english = {
  command: 'Сколько израсходовано и осталось',
  onlyPrivate: 'Ваш расход виден только вам. Напишите мне эту команду в личном чате.',
  none: 'В этом месяце вы ещё ничего не израсходовали.',
  today: (sum) => `Сегодня: ${sum}`,
  month: (sum) => `В этом месяце: ${sum}`,
  byModel: 'В этом месяце по моделям:',
  model: (name, sum) => `${name}: ${sum}`,
  more: (count) => `ещё ${pluralOf('ru', count, { one: 'модель', few: 'модели', many: 'моделей', other: 'модели' })}`,
  requests,
  tokens,
  images,
  cost: russianCost,
  left: 'Осталось:',
  leftRequests: (left, limit) => `запросов в эту минуту: ${NUMBER.format(left)} из ${NUMBER.format(limit)}`,
  leftTokens: (left, limit) => `токенов на сегодня: ${NUMBER.format(left)} из ${NUMBER.format(limit)}`,
  leftImages: (left, limit) => `картинок на сегодня: ${NUMBER.format(left)} из ${NUMBER.format(limit)}`,
  leftDollars: {
    day: leftOf('на сегодня'),
    month: leftOf('на этот месяц'),
    total: leftOf('всего'),
  },
  newDay: (waitMs) => `Лимиты обновятся в 00:00 UTC, через ${wait(waitMs)}.`,
  chart: { tokens: 'Токены', images: 'Картинки', dollars: 'Доллары' },
  perDay: { tokens: 'Токены по дням', images: 'Картинки по дням', dollars: 'Доллары по дням' },
  others: 'другие',
};
