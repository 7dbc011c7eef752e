import { type UsageFigures, usageOf } from './answer-usage.ts';
import { type SizeUnits, sizeOf } from './file-size.ts';
import { type Cost, costOf, dollarsOf } from './money.ts';
import { pluralOf, waitOf } from './plural.ts';

/** `90 секунд`, `5 минут`: in the accusative, as after «через». */
export const russianWait = (ms: number) =>
  waitOf(ms, {
    seconds: (count) => pluralOf('ru', count, { one: 'секунду', few: 'секунды', many: 'секунд', other: 'секунды' }),
    minutes: (count) => pluralOf('ru', count, { one: 'минуту', few: 'минуты', many: 'минут', other: 'минуты' }),
    hours: (count) => pluralOf('ru', count, { one: 'час', few: 'часа', many: 'часов', other: 'часа' }),
  });

const SIZE_UNITS: SizeUnits = {
  bytes: (count) => pluralOf('ru', count, { one: 'байт', few: 'байта', many: 'байт', other: 'байта' }),
  larger: ['КиБ', 'МиБ', 'ГиБ'],
};

/** `2,4 МиБ`. */
export const russianSize = (bytes: number) => sizeOf('ru', bytes, SIZE_UNITS);

/** `1,20 $`. */
export const russianDollars = (dollars: number) => dollarsOf('ru', dollars);

/** `1,20 $ + 3 запроса без известной цены`, `цена неизвестна`. */
export const russianCost = (cost: Cost) =>
  costOf('ru', cost, {
    unknown: 'цена неизвестна',
    unpriced: (count) =>
      `${pluralOf('ru', count, { one: 'запрос', few: 'запроса', many: 'запросов', other: 'запроса' })} без известной цены`,
  });

/** `3,2 с · токены: 1 234 на входе, 56 на выходе · 0,0012 $`. */
export const russianUsage = (...figures: UsageFigures) =>
  usageOf('ru', figures, {
    seconds: (count) => `${count} с`,
    tokens: (input, output) => `токены: ${input} на входе, ${output} на выходе`,
  });
