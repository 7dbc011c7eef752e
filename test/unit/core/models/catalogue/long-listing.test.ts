import { expect, it } from 'vitest';
import { parseModelListing } from '../../../../../src/core/models/catalogue/model-listing.ts';
import { measureBestStep } from '../../../../support/machine/measure.ts';

const NAMES = [
  ...['prompt', 'completion', 'image', 'request', 'input_cache_read', 'input_cache_write'],
  ...['internal_reasoning', 'audio', 'audio_output', 'image_output'],
];

it.each([
  ['usual', '0.00000125'],
  ['long', `0.${'1'.repeat(300)}`],
  ['negative', '-1'],
])('100,000 models with %s prices do not block the event loop', (_, amount) => {
  const pricing = Object.fromEntries(NAMES.map((name) => [name, amount]));
  const data = Array.from({ length: 100_000 }, (_entry, index) => ({ id: `model-${index}`, pricing }));
  expect(measureBestStep(() => parseModelListing({ data }), 50)).toBeLessThan(50);
});

it('a model with millions of hosts does not block the event loop', () => {
  const data = [{ id: 'model', providers: new Array(3_000_000).fill({ pricing: { input: 1, output: 2 } }) }];
  expect(measureBestStep(() => parseModelListing({ data }), 50)).toBeLessThan(50);
  expect(parseModelListing({ data })).toMatchObject([{ price: { input: 1, output: 2 } }]);
});
