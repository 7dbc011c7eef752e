import { type UsageFigures, usageOf } from './answer-usage.ts';
import { type SizeUnits, sizeOf } from './file-size.ts';
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

const SIZE_UNITS: SizeUnits = {
  bytes: (count) => pluralOf('en', count, { one: 'byte', other: 'bytes' }),
  larger: ['KiB', 'MiB', 'GiB'],
};

/** `2.4 MiB`. */
export const englishSize = (bytes: number) => sizeOf('en', bytes, SIZE_UNITS);

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
