import { expect, it } from 'vitest';
import { findUnpricedModels } from '../../../src/cli/check-models.ts';
import { createCatalogue } from '../../../src/core/models/catalogue/create-catalogue.ts';

it('names the models without a price by provider, a few of each', () => {
  const chat = (id: string) => ({ id, type: 'chat' as const });
  const many = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map(chat);
  const source = { acceptsAnyModel: false, isListKnown: true };
  const catalogue = createCatalogue(
    [
      { ...source, provider: 'home', models: many },
      { ...source, provider: 'priced', models: [{ ...chat('a'), price: { input: 0, output: 0 } }] },
      { ...source, provider: 'mixed', models: [chat('x'), { ...chat('y'), price: { input: 1, output: 1 } }] },
    ],
    { aliases: { smart: ['home/a'] }, defaultModel: undefined, defaultImageModel: undefined, fallbackCreated: 0 },
  );
  expect(findUnpricedModels(catalogue)).toEqual(['home: 7 models (a, b, c, d, e, …)', 'mixed: 1 model (x)']);
});
