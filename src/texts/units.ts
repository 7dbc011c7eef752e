import { type Cost, costOf, dollarsOf } from './money.ts';
import { countOf, pluralOf, waitOf } from './plural.ts';

/** `1 token`, `1,234 tokens`. */
export const englishCount = (count: number, one: string, other: string) => countOf('en', count, { one, other });

/** `90 seconds`, `5 minutes`. */
export const englishWait = (ms: number) =>
  waitOf(ms, {
    seconds: (count) => pluralOf('en', count, { one: 'second', other: 'seconds' }),
    minutes: (count) => pluralOf('en', count, { one: 'minute', other: 'minutes' }),
    hours: (count) => pluralOf('en', count, { one: 'hour', other: 'hours' }),
  });

const ENGLISH_SIZE_UNITS: SizeUnits = {
  bytes: (count) => pluralOf('en', count, { one: 'byte', other: 'bytes' }),
  larger: ['KiB', 'MiB', 'GiB'],
};

/** `2.4 MiB`. */
export const englishSize = (bytes: number) => sizeOf('en', bytes, ENGLISH_SIZE_UNITS);

/** `$1.20`. */
export const englishDollars = (dollars: number) => dollarsOf('en', dollars);

/** `$1.20 + 3 requests without a known price`, `price unknown`. */
export const englishCost = (cost: Cost) =>
  costOf('en', cost, {
    unknown: 'price unknown',
    unpriced: (count) => `${pluralOf('en', count, { one: 'request', other: 'requests' })} without a known price`,
  });

/** `3.2 s · 1,234 tokens in, 56 out · $0.0012`. */
export const englishUsage = (...figures: UsageFigures) =>
  usageOf('en', figures, {
    seconds: (count) => `${count} s`,
    tokens: (input, output) => `${input} tokens in, ${output} out`,
  });

/** `90 секунд`, `5 минут`: in the accusative, as after «через». */
export const russianWait = (ms: number) =>
  waitOf(ms, {
    seconds: (count) => pluralOf('ru', count, { one: 'секунду', few: 'секунды', many: 'секунд', other: 'секунды' }),
    minutes: (count) => pluralOf('ru', count, { one: 'минуту', few: 'минуты', many: 'минут', other: 'минуты' }),
    hours: (count) => pluralOf('ru', count, { one: 'час', few: 'часа', many: 'часов', other: 'часа' }),
  });

const RUSSIAN_SIZE_UNITS: SizeUnits = {
  bytes: (count) => pluralOf('ru', count, { one: 'байт', few: 'байта', many: 'байт', other: 'байта' }),
  larger: ['КиБ', 'МиБ', 'ГиБ'],
};

/** `2,4 МиБ`. */
export const russianSize = (bytes: number) => sizeOf('ru', bytes, RUSSIAN_SIZE_UNITS);

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

/** Texts for file sizes. */
interface SizeUnits {
  readonly bytes: (count: number) => string;
  /** For 1024, 1024² and 1024³ bytes. */
  readonly larger: readonly [string, string, string];
}

/** Formats a size in the largest suitable unit, with one decimal place for small numbers. */
function sizeOf(locale: string, sizeBytes: number, units: SizeUnits): string {
  if (sizeBytes < 1024) return units.bytes(sizeBytes);
  let size = sizeBytes / 1024;
  let [unit, ...larger] = units.larger as readonly string[];
  for (const next of larger) {
    // A size that would be rounded to 1024 uses the next unit.
    if (size < 1023.5) break;
    size /= 1024;
    unit = next;
  }
  const digits = size < 99.95 ? 1 : 0;
  return `${size.toLocaleString(locale, { maximumFractionDigits: digits, useGrouping: false })} ${unit}`;
}

/** Time, tokens and cost of an answer; the cost is undefined if a price is not known. */
type UsageFigures = readonly [
  durationMs: number,
  promptTokens: number,
  completionTokens: number,
  costUsd?: number | undefined,
];

interface UsageWords {
  readonly seconds: (count: string) => string;
  readonly tokens: (input: string, output: string) => string;
}

/** Returns `3.2 s · 1,234 tokens in, 56 out · $0.0012`. */
function usageOf(
  locale: string,
  [durationMs, promptTokens, completionTokens, costUsd]: UsageFigures,
  words: UsageWords,
): string {
  const count = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 });
  return [
    words.seconds(count.format(durationMs / 1000)),
    words.tokens(count.format(promptTokens), count.format(completionTokens)),
    ...(costUsd === undefined ? [] : [dollarsOf(locale, costUsd)]),
  ].join(' · ');
}
