import { defineTexts } from '../../texts/define-texts.ts';
import { englishCost, englishCount, englishDollars, englishWait } from '../../texts/english-units.ts';
import { countOf, type PluralForms, pluralOf } from '../../texts/plural.ts';
import { russianCost, russianDollars, russianWait } from '../../texts/russian-units.ts';

const ENGLISH_NUMBER = new Intl.NumberFormat('en');
const englishLeftOf = (period: string) => (left: number, limit: number, until: string | undefined) =>
  `${englishDollars(left)} of ${englishDollars(limit)} ${period}${until === undefined ? '' : `, until ${until}`}`;
const RUSSIAN_NUMBER = new Intl.NumberFormat('ru');
const counted = (count: number, forms: PluralForms) => countOf('ru', count, forms);
const requests = (count: number) =>
  counted(count, { one: 'запрос', few: 'запроса', many: 'запросов', other: 'запроса' });
const tokens = (count: number) => counted(count, { one: 'токен', few: 'токена', many: 'токенов', other: 'токена' });
const images = (count: number) =>
  counted(count, { one: 'картинка', few: 'картинки', many: 'картинок', other: 'картинки' });
const russianLeftOf = (period: string) => (left: number, limit: number, until: string | undefined) =>
  `${russianDollars(left)} из ${russianDollars(limit)} ${period}${until === undefined ? '' : `, до ${until}`}`;

export const texts = defineTexts({
  en: {
    command: 'Your usage and limits',
    onlyPrivate: 'Your usage is private. Send me this command in our private chat.',
    none: 'No usage this month.',
    today: (sum: string) => `Today: ${sum}`,
    month: (sum: string) => `This month: ${sum}`,
    byModel: 'This month by model:',
    model: (name: string, sum: string) => `${name}: ${sum}`,
    more: (count: number) => pluralOf('en', count, { one: 'more model', other: 'more models' }),
    requests: (count: number) => englishCount(count, 'request', 'requests'),
    tokens: (count: number) => englishCount(count, 'token', 'tokens'),
    images: (count: number) => englishCount(count, 'image', 'images'),
    cost: englishCost,
    left: 'Remaining:',
    leftRequests: (left: number, limit: number) =>
      `${ENGLISH_NUMBER.format(left)} of ${englishCount(limit, 'request', 'requests')} this minute`,
    leftTokens: (left: number, limit: number) =>
      `${ENGLISH_NUMBER.format(left)} of ${englishCount(limit, 'token', 'tokens')} today`,
    leftImages: (left: number, limit: number) =>
      `${ENGLISH_NUMBER.format(left)} of ${englishCount(limit, 'image', 'images')} today`,
    /** `until`: date and time at which the budget resets. */
    leftDollars: {
      day: englishLeftOf('today'),
      month: englishLeftOf('this month'),
      total: englishLeftOf('in total'),
    },
    newDay: (waitMs: number) => `Limits reset at 00:00 UTC, in ${englishWait(waitMs)}.`,
    /** Buttons. */
    chart: { tokens: 'Tokens', images: 'Images', dollars: 'Dollars' },
    /** Titles of charts. */
    perDay: { tokens: 'Tokens per day', images: 'Images per day', dollars: 'Dollars per day' },
    others: 'others',
  },
  ru: {
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
    leftRequests: (left, limit) =>
      `запросов в эту минуту: ${RUSSIAN_NUMBER.format(left)} из ${RUSSIAN_NUMBER.format(limit)}`,
    leftTokens: (left, limit) =>
      `токенов на сегодня: ${RUSSIAN_NUMBER.format(left)} из ${RUSSIAN_NUMBER.format(limit)}`,
    leftImages: (left, limit) =>
      `картинок на сегодня: ${RUSSIAN_NUMBER.format(left)} из ${RUSSIAN_NUMBER.format(limit)}`,
    leftDollars: {
      day: russianLeftOf('на сегодня'),
      month: russianLeftOf('на этот месяц'),
      total: russianLeftOf('всего'),
    },
    newDay: (waitMs) => `Лимиты обновятся в 00:00 UTC, через ${russianWait(waitMs)}.`,
    chart: { tokens: 'Токены', images: 'Картинки', dollars: 'Доллары' },
    perDay: { tokens: 'Токены по дням', images: 'Картинки по дням', dollars: 'Доллары по дням' },
    others: 'другие',
  },
});
