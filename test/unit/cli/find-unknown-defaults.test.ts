import { expect, it } from 'vitest';
import { findUnknownDefaults } from '../../../src/cli/find-unknown-defaults.ts';
import { createCatalogue } from '../../../src/core/models/catalogue/create-catalogue.ts';

const catalogue = createCatalogue(
  [
    {
      ...{ provider: 'home', acceptsAnyModel: false, isListKnown: true },
      models: [
        { id: 'chat', type: 'chat' },
        { id: 'embed', type: 'embedding' },
        { id: 'embed-2', type: 'embedding' },
      ],
    },
  ],
  {
    aliases: { both: ['embed', 'embed-2'] },
    defaultModel: undefined,
    defaultImageModel: undefined,
    fallbackCreated: 0,
  },
);

it.each([
  [{}, []],
  [{ defaultModel: 'chat', libraryEmbeddingModel: 'embed' }, []],
  [{ defaultModel: 'embed' }, ['The default model embed (DEFAULT_MODEL) is not a chat model of any provider']],
  [
    { libraryEmbeddingModel: 'chat' },
    [
      'The model chat (library.embedding_model in the providers file) is not an embedding model of any provider; the library is searched by words only',
    ],
  ],
  [
    { libraryEmbeddingModel: 'both' },
    [
      "The model both (library.embedding_model in the providers file) stands for several models (embed, embed-2), whose vectors can't be compared; the library is searched by words only",
    ],
  ],
])('says which models of the settings can not be used: %j', (settings, problems) => {
  expect(findUnknownDefaults(settings, catalogue)).toEqual(problems);
});
