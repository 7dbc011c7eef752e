import { describe, expect, it } from 'vitest';
import { type CatalogueSource, createCatalogue } from '../../../../src/core/models/catalogue/create-catalogue.ts';
import type { ModelPrice, ProviderModel } from '../../../../src/core/models/index.ts';

const CREATED = 1_700_000_000;
const source = (
  provider: string,
  models: readonly (string | ProviderModel)[],
  acceptsAnyModel = false,
  isListKnown = true,
): CatalogueSource => ({
  provider,
  acceptsAnyModel,
  isListKnown,
  models: models.map((model) => (typeof model === 'string' ? { id: model, type: 'chat' } : model)),
});
const create = (
  sources: readonly CatalogueSource[],
  aliases: Readonly<Record<string, readonly string[]>> = {},
  defaultModel?: string,
  defaultImageModel?: string,
) => createCatalogue(sources, { aliases, defaultModel, defaultImageModel, fallbackCreated: CREATED });
const targetsOf = (catalogue: ReturnType<typeof create>, id: string) =>
  catalogue.find(id)?.targets.map(({ provider, model }) => `${provider}:${model}`);

describe('the catalogue', () => {
  it('lists models under their own names in the order of the providers', () => {
    const catalogue = create([source('a', ['one', 'two']), source('b', ['three'])]);
    expect(catalogue.list().map(({ id }) => id)).toEqual(['one', 'two', 'three']);
    expect(catalogue.list()[0]).toMatchObject({ type: 'chat', ownedBy: 'a', created: CREATED });
  });

  it('says that a model reads PDF files if each of its hosts is known to', () => {
    const reader = (acceptsPdf: boolean | undefined) => [{ id: 'm', type: 'chat' as const, acceptsPdf }];
    const merged = (...facts: readonly (boolean | undefined)[]) =>
      create(facts.map((fact, index) => source(`host${index}`, reader(fact)))).find('m')?.acceptsPdf;
    expect([merged(true), merged(true, true), merged(true, undefined), merged(true, false), merged(false)]).toEqual([
      ...[true, true, undefined, undefined, false],
    ]);
    const hosts = [source('a', [{ id: 'one', type: 'chat', acceptsPdf: true }]), source('b', ['two'])];
    const catalogue = create(hosts, { both: ['one', 'two'], only: ['one'] });
    expect([catalogue.find('both')?.acceptsPdf, catalogue.find('only')?.acceptsPdf]).toEqual([undefined, true]);
  });

  it('takes from the shipped list what the host and the operator do not say about PDF files', () => {
    const listed = { findListedPdf: (model: string) => model.startsWith('gpt') || undefined };
    const models = [
      { id: 'gpt-a', type: 'chat' as const },
      { id: 'gpt-b', type: 'chat' as const, acceptsPdf: false },
    ];
    const catalogue = create([{ ...source('a', models, true), ...listed }]);
    expect(['gpt-a', 'gpt-b', 'gpt-unlisted', 'other'].map((id) => catalogue.find(id)?.acceptsPdf)).toEqual([
      ...[true, false, true, undefined],
    ]);
  });

  it('merges a model of several hosts into one entry, and adds fields that the first omitted', () => {
    const catalogue = create([
      source('a', [{ id: 'm', type: 'chat', ownedBy: 'meta', price: { input: 1, output: 2 } }]),
      source('b', [{ id: 'm', type: 'chat', ownedBy: 'other', price: { input: 9, output: 9 }, contextLength: 4096 }]),
    ]);
    expect(catalogue.list()).toEqual([
      {
        id: 'm',
        type: 'chat',
        ownedBy: 'meta',
        displayName: undefined,
        created: CREATED,
        contextLength: 4096,
        price: { input: 1, output: 2 },
        acceptsImages: undefined,
        targets: [
          { provider: 'a', model: 'm' },
          { provider: 'b', model: 'm' },
        ],
      },
    ]);
  });

  it('finds every model by its qualified name, only at that provider', () => {
    const catalogue = create([source('a', ['m', 'x/y']), source('b', ['m'])]);
    expect(targetsOf(catalogue, 'm')).toEqual(['a:m', 'b:m']);
    expect(targetsOf(catalogue, 'b/m')).toEqual(['b:m']);
    expect(targetsOf(catalogue, 'a/x/y')).toEqual(['a:x/y']);
    expect(catalogue.find('b/x/y')).toBeUndefined();
  });

  it('resolves a qualified name to its provider, even if another provider lists the same name', () => {
    const catalogue = create([source('relay', ['groq/m', 'plain']), source('groq', ['m', 'groq/compound'])]);
    expect(targetsOf(catalogue, 'groq/m')).toEqual(['groq:m']);
    expect(targetsOf(catalogue, 'relay/groq/m')).toEqual(['relay:groq/m']);
    expect(targetsOf(catalogue, 'groq/compound')).toEqual(['groq:groq/compound']);
    expect(catalogue.list().map(({ id }) => id)).toEqual(['relay/groq/m', 'plain', 'm', 'groq/compound']);
  });

  it('keeps an image model and a chat model with one name apart', () => {
    const catalogue = create([source('a', ['m']), source('b', [{ id: 'm', type: 'image' }])]);
    expect(catalogue.list().map(({ id, type }) => [id, type])).toEqual([
      ['m', 'chat'],
      ['b/m', 'image'],
    ]);
  });

  it('never offers a qualified name to another provider', () => {
    const sources = [source('local', ['m']), source('any', [], true)];
    const catalogue = create(sources);
    expect(catalogue.find('local/private-model')).toBeUndefined();
    expect(catalogue.find('local/')).toBeUndefined();
    expect(targetsOf(catalogue, 'openai/gpt-4o')).toEqual(['any:openai/gpt-4o']);
    const withAlias = create(sources, { mine: ['local/private-model'] });
    expect(withAlias.find('mine')).toBeUndefined();
  });

  it('resolves a qualified name to its provider while the list of that provider is unknown', () => {
    const catalogue = create([source('local', [], false, false), source('any', [], true)]);
    expect(targetsOf(catalogue, 'local/private-model')).toEqual(['local:private-model']);
    expect(targetsOf(catalogue, 'private-model')).toEqual(['any:private-model']);
  });

  it('finds any name if a provider accepts any', () => {
    const catalogue = create([source('a', ['m']), source('any', [], true), source('home', ['m'], true)]);
    expect(targetsOf(catalogue, 'new-model')).toEqual(['any:new-model', 'home:new-model']);
    expect(targetsOf(catalogue, 'any/new-model')).toEqual(['any:new-model']);
    expect(targetsOf(catalogue, 'm')).toEqual(['a:m', 'home:m']);
    expect(catalogue.find('')).toBeUndefined();
    expect(catalogue.find('x'.repeat(1000))).toBeUndefined();
    expect(catalogue.list()).toHaveLength(1);
  });

  it('resolves aliases in tiers and lists them first, with the properties of their first model', () => {
    const catalogue = create([source('a', ['m', 'n']), source('b', ['m'])], {
      smart: ['gone', 'm', 'a/n'],
      empty: ['gone'],
    });
    expect(catalogue.list().map(({ id }) => id)).toEqual(['smart', 'm', 'n']);
    expect(catalogue.resolve('smart', 'chat')?.tiers).toEqual([
      [
        { provider: 'a', model: 'm' },
        { provider: 'b', model: 'm' },
      ],
      [{ provider: 'a', model: 'n' }],
    ]);
    expect(catalogue.find('empty')).toBeUndefined();
  });

  it('prefers an alias to a model with the same name', () => {
    const catalogue = create([source('a', ['m', 'n'])], { m: ['n'] });
    expect(targetsOf(catalogue, 'm')).toEqual(['a:n']);
    expect(targetsOf(catalogue, 'a/m')).toEqual(['a:m']);
    expect(catalogue.list().map(({ id }) => id)).toEqual(['m', 'n']);
  });

  it('has a default chat model', () => {
    const image = { id: 'pictures', type: 'image' } as const;
    expect(create([source('a', [image, 'm', 'n'])]).defaultChatModel()?.id).toBe('m');
    expect(create([source('a', [image, 'm', 'n'])], {}, 'a/n').defaultChatModel()?.id).toBe('a/n');
    expect(create([source('a', ['m'])], {}, 'gone').defaultChatModel()?.id).toBe('m');
    expect(create([source('a', [image, 'm'])], {}, 'pictures').defaultChatModel()?.id).toBe('m');
    expect(create([]).defaultChatModel()).toBeUndefined();
  });

  it('has a default image model', () => {
    const images = ['first', 'second'].map((id) => ({ id, type: 'image' }) as const);
    const sources = [source('a', ['m', ...images])];
    expect(create(sources).defaultImageModel()?.id).toBe('first');
    expect(create(sources, {}, 'm', 'second').defaultImageModel()?.id).toBe('second');
    expect(create(sources, {}, undefined, 'm').defaultImageModel()?.id).toBe('first');
    expect(create([source('a', ['m'])]).defaultImageModel()).toBeUndefined();
  });

  it('has an embedding model of libraries, whose hosts all have the same model', () => {
    const embeddings = ['one', 'two'].map((id) => ({ id, type: 'embedding' }) as const);
    const sources = [source('a', ['m', ...embeddings]), source('b', embeddings)];
    const aliases = { same: ['b/one', 'a/one'], different: ['one', 'two'] };
    const find = (libraryEmbeddingModel: string | undefined) => {
      const defaults = { defaultModel: undefined, defaultImageModel: undefined, fallbackCreated: CREATED };
      return createCatalogue(sources, { aliases, ...defaults, libraryEmbeddingModel }).libraryEmbeddingModel()?.id;
    };
    expect(['one', 'a/two', 'same'].map(find)).toEqual(['one', 'a/two', 'same']);
    expect(['different', 'm', 'unknown', undefined].map(find)).toEqual([undefined, undefined, undefined, undefined]);
  });

  it('distinguishes image models from chat models', () => {
    const catalogue = create([source('a', ['m', { id: 'pictures', type: 'image' }])]);
    expect(catalogue.find('pictures')?.type).toBe('image');
    expect(catalogue.resolve('pictures', 'chat')?.type).toBe('image');
    expect(catalogue.resolve('m', 'image')?.type).toBe('chat');
    expect(catalogue.resolve('nobody', 'image')).toBeUndefined();
  });

  it('treats an unlisted name as a model of the requested type', () => {
    const catalogue = create([{ ...source('a', ['m']), acceptsAnyModel: true }]);
    expect(catalogue.resolve('unlisted', 'image')).toEqual({
      type: 'image',
      tiers: [[{ provider: 'a', model: 'unlisted' }]],
    });
    expect(catalogue.resolve('unlisted', 'chat')?.type).toBe('chat');
    expect(catalogue.resolve('m', 'image')?.type).toBe('chat');
  });

  it('handles names of built-in object properties', () => {
    const catalogue = create([source('a', ['m'])], {});
    for (const name of ['constructor', '__proto__', 'toString']) expect(catalogue.find(name)).toBeUndefined();
  });
});

describe('prices', () => {
  const LIST = { input: 1, output: 2 };
  const OWN = { input: 3, output: 4 };
  const withList = (base: CatalogueSource): CatalogueSource => ({
    ...base,
    findListPrice: (model) => (model.startsWith('listed') ? LIST : undefined),
  });

  it('are those of the model, else those of the list', () => {
    const models = ['listed', 'unknown', { id: 'listed-too', type: 'chat' as const, price: OWN }];
    const catalogue = create([withList(source('a', models))]);
    expect(catalogue.list().map(({ price }) => price)).toEqual([LIST, undefined, OWN]);
    expect(catalogue.findPrice({ provider: 'a', model: 'listed' })).toEqual(LIST);
    expect(catalogue.findPrice({ provider: 'a', model: 'listed-too' })).toEqual(OWN);
    expect(catalogue.findPrice({ provider: 'b', model: 'listed' })).toBeUndefined();
  });

  it('come from the providers file, the provider, or a list with its date', () => {
    const list = { kind: 'list', date: '2026-11-23' } as const;
    const models = ['listed', 'unknown', { id: 'own', type: 'chat' as const, price: OWN }];
    const sources = ['a', 'b'].map((name) => ({ ...withList(source(name, models)), readListSource: () => list }));
    const catalogue = create(sources.map((one) => ({ ...one, isConfigured: one.provider === 'b' })));
    const find = (provider: string, model: string) => catalogue.findPriceSource({ provider, model });
    expect([find('a', 'own'), find('b', 'own')]).toEqual([{ kind: 'provider' }, { kind: 'providers-file' }]);
    expect([find('a', 'listed'), find('b', 'listed-too')]).toEqual([list, list]);
    expect([find('a', 'unknown'), find('c', 'listed')]).toEqual([undefined, undefined]);
  });

  it('are those of each provider, not of another with the same model or of an alias with the same name', () => {
    const priced: ProviderModel = { id: 'listed', type: 'chat', price: OWN };
    const catalogue = create([withList(source('a', ['listed'])), source('b', [priced]), source('c', ['listed'])], {
      'c/listed': ['b/listed'],
      both: ['a/listed', 'b/listed'],
    });
    const prices = ['a', 'b', 'c'].map((provider) => catalogue.findPrice({ provider, model: 'listed' }));
    expect(prices).toEqual([LIST, OWN, undefined]);
    expect(catalogue.findPrices('both')).toEqual([LIST, OWN]);
    expect(catalogue.findPrices('a/listed')).toEqual([LIST]);
    // One of its three hosts has no known price.
    expect(catalogue.findPrices('listed')).toBeUndefined();
    expect(catalogue.findPrices('nowhere')).toBeUndefined();
  });

  it('are found for names that are in no list', () => {
    const catalogue = create([withList(source('a', [], true)), source('b', ['other'])]);
    expect(catalogue.find('listed-new')?.price).toEqual(LIST);
    expect(catalogue.findPrice({ provider: 'a', model: 'listed-new' })).toEqual(LIST);
    expect(catalogue.findPrices('listed-new')).toEqual([LIST]);
    expect(catalogue.findPrices('a/something')).toBeUndefined();
  });
});

describe('free fields', () => {
  const withFree = (provider: string, ...fields: readonly string[]): CatalogueSource => ({
    ...source(provider, ['m']),
    isFreeField: (field) => fields.includes(field),
  });

  it('are those that each host of a model has', () => {
    const catalogue = create([withFree('a', 'x', 'y'), withFree('b', 'y')]);
    expect(['x', 'y', 'z'].map((field) => catalogue.isFreeField('a/m', field))).toEqual([true, true, false]);
    expect(['x', 'y', 'z'].map((field) => catalogue.isFreeField('m', field))).toEqual([false, true, false]);
    expect(catalogue.isFreeField('nowhere', 'x')).toBe(false);
  });

  it('include the quality of images whose tokens have a price', () => {
    const image = (provider: string, price: ModelPrice): CatalogueSource => ({
      ...source(provider, []),
      models: [{ id: 'i', type: 'image', price }],
    });
    const catalogue = create([image('a', { input: 5, output: 10, imageOutput: 40 }), image('b', { image: 0.04 })]);
    expect(catalogue.isFreeField('a/i', 'quality')).toBe(true);
    expect(catalogue.isFreeField('a/i', 'steps')).toBe(false);
    expect(catalogue.isFreeField('b/i', 'quality')).toBe(false);
    expect(catalogue.isFreeField('i', 'quality')).toBe(false);
  });
});
