import { expect, test } from 'vitest';
import { englishCost, englishDollars, russianCost } from '../../src/texts/units.ts';

test.each([
  [0, '$0.00'],
  [0.000000001, '$0.000000001'],
  [0.0000123, '$0.000012'],
  [0.01, '$0.01'],
  [0.1325, '$0.1325'],
  [1.2345, '$1.23'],
  [12_345.6, '$12,345.60'],
])('%d dollars are shown as %s, never as 0 if there is a cost', (dollars, shown) => {
  expect(englishDollars(dollars)).toBe(shown);
});

test('an unknown cost is shown as unknown, beside a known one by the number of requests', () => {
  expect(englishCost({ costUsd: 1.2, unpriced: 0 })).toBe('$1.20');
  expect(englishCost({ costUsd: 1.2, unpriced: 3 })).toBe('$1.20 + 3 requests without a known price');
  expect(englishCost({ costUsd: undefined, unpriced: 3 })).toBe('price unknown');
  expect(englishCost({ costUsd: undefined, unpriced: 0 })).toBe('$0.00');
  expect(russianCost({ costUsd: 1.2, unpriced: 5 })).toBe('1,20\u00A0$ + 5 запросов без известной цены');
});
