import { expect, it } from 'vitest';
import { readPrice } from '../../../../../src/core/models/catalogue/read-price.ts';

it('reads all kinds of OpenRouter, where 0 is no price of its own', () => {
  const pricing = {
    ...{ prompt: '0.00000125', completion: '0.00001', request: '0.005', image: '0.00516', web_search: '0.035' },
    ...{
      internal_reasoning: '0',
      input_cache_read: '0.000000125',
      input_cache_write: '0.000002375',
      audio: '0.0000007',
    },
  };
  expect(readPrice({ pricing }, 'chat')).toEqual({
    ...{ input: 1.25, output: 10, cachedInput: 0.125, cacheWrite: 2.375, audioInput: 0.7, request: 0.005 },
  });
  expect(readPrice({ pricing: { prompt: '0', completion: '0', input_cache_read: '0' } }, 'chat')).toEqual({
    ...{ input: 0, output: 0 },
  });
});

it('reads tokens with caching and images of Vercel', () => {
  const pricing = {
    ...{ input: '0.000003', output: '0.000015', input_cache_read: '0.0000003', input_cache_write: '0.00000375' },
  };
  expect(readPrice({ pricing }, 'chat')).toEqual({ input: 3, output: 15, cachedInput: 0.3, cacheWrite: 3.75 });
  expect(readPrice({ pricing: { image: '0.04' } }, 'image')).toEqual({ image: 0.04 });
  expect(readPrice({ pricing: { image: '0.04' } }, 'chat')).toBeUndefined();
});

it.each([
  ['-1', '-1'],
  ['1e308', '0'],
  ['NaN', '0.000001'],
  ['', '0.000001'],
  [Number.NaN, 1],
  [-1, 1],
  [{}, []],
])('has no price for %s and %s', (prompt, completion) => {
  expect(readPrice({ pricing: { prompt, completion } }, 'chat')).toBeUndefined();
});

it.each<readonly [string, unknown]>([
  ['negative', '-0.000001'],
  ['infinite', '1e999'],
  ['huge', '1e308'],
  ['above the maximum', 1e308],
  ['hexadecimal beyond it', '0xffffffffff'],
  ['no number', 'NaN'],
  ['long', '9'.repeat(1_000_000)],
  ['nested', { prompt: { prompt: 1 } }],
  ['a list', [[1]]],
])('knows no price that is %s', (_, amount) => {
  expect(readPrice({ pricing: { prompt: amount, completion: amount } }, 'chat')).toBeUndefined();
  expect(readPrice({ pricing: amount }, 'chat')).toBeUndefined();
});

it('reads exponents exactly', () => {
  const pricing = { prompt: '3.5e-7', completion: '7e-8', input_cache_read: '1e-400' };
  expect(readPrice({ pricing }, 'chat')).toEqual({ input: 0.35, output: 0.07 });
});
