import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseModelListing } from '../../../../../src/core/models/catalogue/model-listing.ts';

function parseFixture(host: string) {
  const file = new URL(`../../../../fixtures/models/${host}.json`, import.meta.url);
  const models = parseModelListing(JSON.parse(readFileSync(file, 'utf8')));
  if (!models) throw new Error(`${host}: no list of models`);
  return {
    chat: models.filter(({ type }) => type === 'chat').map(({ id }) => id),
    image: models.filter(({ type }) => type === 'image').map(({ id }) => id),
    further: Object.fromEntries(
      models.filter(({ type }) => type !== 'chat' && type !== 'image').map(({ id, type }) => [id, type]),
    ),
    find: (id: string) => models.find((model) => model.id === id),
  };
}

describe('the list of models', () => {
  it('of OpenAI is classified by names: chat, image, and other models', () => {
    const { chat, image } = parseFixture('openai');
    expect(chat).toEqual([
      'gpt-4o',
      'gpt-4o-mini',
      'gpt-4.1',
      'gpt-4.1-mini',
      'gpt-5',
      'gpt-5-mini',
      'o3-mini',
      'o4-mini',
      'gpt-3.5-turbo',
    ]);
    expect(image).toEqual(['dall-e-3', 'gpt-image-1']);
  });

  it.each([
    [
      'openai',
      {
        'gpt-4o-transcribe': 'transcription',
        'gpt-4o-mini-tts': 'speech',
        'tts-1': 'speech',
        'whisper-1': 'transcription',
        'text-embedding-3-small': 'embedding',
        'text-embedding-ada-002': 'embedding',
        'omni-moderation-latest': 'moderation',
      },
    ],
    [
      'mistral',
      {
        'mistral-embed': 'embedding',
        'mistral-moderation-latest': 'moderation',
        'voxtral-mini-transcribe-2507': 'transcription',
      },
    ],
    ['groq', { 'whisper-large-v3-turbo': 'transcription', 'playai-tts': 'speech' }],
    // Its speech models speak a protocol of their own.
    [
      'google',
      { 'embedding-gecko-001': 'embedding', 'gemini-embedding-001': 'embedding', 'text-embedding-004': 'embedding' },
    ],
    ['together', { 'BAAI/bge-large-en-v1.5': 'embedding', 'Salesforce/Llama-Rank-V1': 'rerank' }],
    ['github', { 'openai/text-embedding-3-large': 'embedding', 'cohere/cohere-embed-v3-english': 'embedding' }],
    ['cohere', { 'embed-v4.0': 'embedding', 'rerank-v3.5': 'rerank' }],
    [
      'nvidia',
      {
        ...{ 'nvidia/nv-embedqa-e5-v5': 'embedding', 'snowflake/arctic-embed-l': 'embedding' },
        ...{ 'baai/bge-m3': 'embedding', 'nvidia/llama-3.2-nv-rerankqa-1b-v2': 'rerank' },
      },
    ],
    ['vercel', { 'openai/text-embedding-3-large': 'embedding' }],
    ['fireworks', { 'accounts/fireworks/models/qwen3-embedding-8b': 'embedding' }],
    ['ollama', { 'nomic-embed-text:latest': 'embedding' }],
  ])('of %s has embedding, speech, transcription, moderation and rerank models, and hides the rest', (host, types) => {
    expect(parseFixture(host).further).toEqual(types);
  });

  it('of Groq omits disabled models and guards', () => {
    const { chat, find } = parseFixture('groq');
    expect(chat).toEqual([
      'llama-3.3-70b-versatile',
      'llama-3.1-8b-instant',
      'openai/gpt-oss-120b',
      'openai/gpt-oss-20b',
      'moonshotai/kimi-k2-instruct-0905',
      'qwen/qwen3-32b',
      'groq/compound',
    ]);
    expect(find('qwen/qwen3-32b')).toEqual({
      id: 'qwen/qwen3-32b',
      type: 'chat',
      ownedBy: 'Alibaba Cloud',
      displayName: undefined,
      created: 1748396646,
      contextLength: 131072,
      price: undefined,
      acceptsImages: undefined,
    });
  });

  it('of Google omits the prefix of its names', () => {
    const { chat, image, find } = parseFixture('google');
    expect(chat).toEqual([
      'gemini-2.5-pro',
      'gemini-2.5-flash',
      'gemini-2.5-flash-lite',
      'gemini-2.0-flash',
      'gemma-3-27b-it',
    ]);
    expect(image).toEqual(['gemini-2.5-flash-image', 'imagen-4.0-generate-001']);
    expect(find('gemini-2.5-pro')).toMatchObject({ displayName: 'Gemini 2.5 Pro', contextLength: 1_048_576 });
  });

  it('of Azure has the names of deployments, and the types of the deployed models', () => {
    const { chat, image } = parseFixture('azure');
    expect(chat).toEqual(['front-desk']);
    expect(image).toEqual(['painter']);
  });

  it('of OpenRouter contains prices, context and modalities', () => {
    const { chat, image, find } = parseFixture('openrouter');
    expect(chat).toHaveLength(11);
    expect(image).toEqual(['google/gemini-2.5-flash-image']);
    expect(find('google/gemini-2.5-flash-image')?.acceptsImages).toBe(true);
    expect(find('anthropic/claude-sonnet-4.5')).toMatchObject({
      ownedBy: 'anthropic',
      displayName: 'Anthropic: Claude Sonnet 4.5',
      contextLength: 1_000_000,
      price: { input: 3, output: 15 },
      acceptsImages: true,
    });
    expect(find('qwen/qwen3-coder:free')).toMatchObject({ price: { input: 0, output: 0 }, acceptsImages: false });
    expect(find('google/gemini-2.5-flash')?.acceptsPdf).toBe(true);
    expect(find('qwen/qwen3-coder:free')?.acceptsPdf).toBe(false);
    // Minus one dollar means that it depends on the host chosen.
    expect(find('openrouter/auto')?.price).toBeUndefined();
  });

  it('of Together is a bare array with types', () => {
    const { chat, image, find } = parseFixture('together');
    expect(chat).toHaveLength(5);
    expect(image).toEqual(['black-forest-labs/FLUX.1-schnell']);
    expect(find('deepseek-ai/DeepSeek-V3.1')).toMatchObject({
      ownedBy: 'DeepSeek',
      displayName: 'DeepSeek V3.1',
      price: { input: 0.6, output: 1.7 },
    });
  });

  it('of Mistral contains chat and vision capabilities', () => {
    const { chat, find } = parseFixture('mistral');
    expect(chat).toHaveLength(6);
    expect(find('mistral-large-latest')).toMatchObject({ acceptsImages: true, contextLength: 131072 });
    expect(find('codestral-2508')).toMatchObject({ acceptsImages: false, contextLength: 256000 });
  });

  it('of GitHub is its catalogue', () => {
    const { chat, find } = parseFixture('github');
    expect(chat).toHaveLength(6);
    expect(find('openai/gpt-4.1')).toMatchObject({ ownedBy: 'OpenAI', contextLength: 1048576, acceptsImages: true });
  });

  it('of Hugging Face contains the hosts of a model', () => {
    expect(parseFixture('huggingface').find('openai/gpt-oss-120b')).toMatchObject({
      ownedBy: 'openai',
      contextLength: 131072,
      price: { input: 0.25, output: 0.69 },
    });
  });

  it('of Cohere has its own format', () => {
    const { chat, find } = parseFixture('cohere');
    expect(chat).toEqual([
      'command-a-03-2025',
      'command-a-vision-07-2025',
      'command-r7b-12-2024',
      'c4ai-aya-expanse-32b',
    ]);
    expect(find('command-a-vision-07-2025')).toMatchObject({ contextLength: 128000, acceptsImages: true });
  });

  it('of NVIDIA has only names', () => {
    expect(parseFixture('nvidia').chat).toEqual([
      'meta/llama-3.1-405b-instruct',
      'nvidia/llama-3.3-nemotron-super-49b-v1.5',
      'deepseek-ai/deepseek-v3.1',
      'mistralai/mistral-nemotron',
      'qwen/qwen3-next-80b-a3b-instruct',
      'openai/gpt-oss-20b',
      'google/gemma-3-27b-it',
    ]);
  });

  it('of Anthropic has dates', () => {
    expect(parseFixture('anthropic').find('claude-sonnet-4-5-20250929')).toMatchObject({
      displayName: 'Claude Sonnet 4.5',
      created: 1759104000,
    });
  });

  it('of Fireworks, Vercel, DeepInfra and Ollama is read', () => {
    expect(parseFixture('fireworks')).toMatchObject({
      chat: ['kimi-k2-instruct-0905', 'qwen2p5-vl-32b-instruct', 'deepseek-v3p1'].map(
        (id) => `accounts/fireworks/models/${id}`,
      ),
      image: ['accounts/fireworks/models/flux-1-schnell-fp8'],
    });
    const vercel = parseFixture('vercel');
    expect(vercel).toMatchObject({ chat: ['alibaba/qwen-3-14b'], image: ['google/imagen-4.0-generate-001'] });
    expect(vercel.find('alibaba/qwen-3-14b')).toMatchObject({
      price: { input: 0.06, output: 0.24 },
      contextLength: 40960,
    });
    const deepinfra = parseFixture('deepinfra');
    expect(deepinfra.chat).toEqual(['meta-llama/Meta-Llama-3.1-8B-Instruct', 'Qwen/Qwen3-14B']);
    expect(deepinfra.find('Qwen/Qwen3-14B')).toMatchObject({
      price: { input: 0.06, output: 0.24 },
      contextLength: 40960,
      created: undefined,
    });
    expect(parseFixture('ollama').chat).toEqual(['llama3.2:latest', 'qwen3:8b']);
  });

  it.each([
    [
      'Cloudflare',
      {
        result: [{ id: '429b9e8b-d99e-44de-91ad-706cf8183658', name: '@cf/meta/llama-3.1-8b-instruct' }],
        success: true,
      },
      ['@cf/meta/llama-3.1-8b-instruct'],
    ],
    ['names alone', ['one', 'two', 'one'], ['one', 'two']],
    ['an empty list', { data: [] }, []],
    [
      'entries that are none',
      { data: [null, 7, {}, { id: '' }, { id: 'a b' }, { id: 'x'.repeat(300) }, { id: 'fine' }] },
      ['fine'],
    ],
  ])('of %s is read', (_, listing, ids) => {
    expect(parseModelListing(listing)?.map(({ id }) => id)).toEqual(ids);
  });

  it.each([
    ['image', 'black-forest-labs/flux.2-pro', { architecture: { output_modalities: ['image'] } }],
    ['image', 'google/gemini-3-pro-image-preview', { architecture: { output_modalities: ['image', 'text'] } }],
    ['image', 'openai/gpt-5-image-mini', { architecture: { output_modalities: ['image', 'text'] } }],
    ['image', 'google/gemini-2.5-flash-image:free', { architecture: { output_modalities: ['image', 'text'] } }],
    ['chat', 'openrouter/auto', { architecture: { output_modalities: ['image', 'text'] } }],
    ['chat', 'google/gemini-2.5-flash', { architecture: { output_modalities: ['text'] } }],
    ['image', 'google/gemini-3-pro-image', { type: 'language', tags: ['file-input', 'image-generation'] }],
    ['chat', 'openai/gpt-5.2', { type: 'language', tags: ['image-generation', 'tool-use'] }],
    ['image', 'venice-sd35', { type: 'image' }],
    ['image', 'Kwai-Kolors/Kolors', {}],
    ['image', 'cogview-4-250304', {}],
    ['image', 'grok-imagine-image', {}],
    ['image', 'gpt-image-1.5', {}],
    ['speech', 'demo-speech', { type: 'speech', output_modalities: ['audio'] }],
    ['moderation', 'demo-guard', { type: 'moderation', output_modalities: ['classification'] }],
    ['transcription', 'nova', { type: 'asr' }],
    ['embedding', 'nova', { architecture: { output_modalities: ['embeddings'] } }],
    ['embedding', 'all-minilm:latest', {}],
  ])('contains %s of %s', (type, id, fields) => {
    expect(parseModelListing({ data: [{ id, ...fields }] })?.[0]?.type).toBe(type);
  });

  it.each([['text'], [null], [{}], [{ data: 'x' }], [7]])('is refused if it is %j', (listing) => {
    expect(parseModelListing(listing)).toBeUndefined();
  });
});
