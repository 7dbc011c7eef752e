import { describe, expect, it } from 'vitest';
import { convertPrices } from '../../../../../../scripts/convert-prices.ts';
import {
  findListedPdf,
  findListPrice,
  readListPrices,
} from '../../../../../../src/core/models/catalogue/prices/find-list-price.ts';
import { findPreset } from '../../../../../../src/core/models/hosts/settings/presets.ts';
import { MAX_DOLLARS } from '../../../../../../src/lib/dollars.ts';

describe('the shipped price list', () => {
  const { date, models } = readListPrices();

  it('has a date', () => {
    expect(date).toMatch(/^20\d\d-\d\d-\d\d$/);
    expect(Number.isNaN(Date.parse(date))).toBe(false);
  });

  it('has each model of a preset once', () => {
    const names = models.map(({ provider, model }) => `${provider} ${model}`);
    expect(names.length).toBeGreaterThan(500);
    expect(new Set(names).size).toBe(names.length);
    expect(new Set(models.map(({ provider }) => provider).filter((name) => !findPreset(name)))).toEqual(new Set());
  });

  it('has finite prices of known kinds, none below 0', () => {
    const kinds = new Set([
      ...['input', 'output', 'cachedInput', 'cacheWrite', 'cacheWriteHour', 'reasoning', 'audioInput', 'audioOutput'],
      ...['imageInput', 'imageOutput', 'image', 'audioMinute', 'characters', 'above'],
    ]);
    for (const { provider, model, pdf: _pdf, longPrompt = [], ...price } of models) {
      const amounts = [price, ...longPrompt].flatMap((prices) => Object.entries(prices));
      expect(amounts.length, `${provider}/${model}`).toBeGreaterThan(0);
      for (const [kind, amount] of amounts) {
        expect(kinds, `${provider}/${model}`).toContain(kind);
        expect(amount, `${provider}/${model} ${kind}`).toBeGreaterThanOrEqual(0);
        expect(amount, `${provider}/${model} ${kind}`).toBeLessThanOrEqual(MAX_DOLLARS);
      }
      const limits = longPrompt.map(({ above }) => above);
      expect(limits, `${provider}/${model}`).toEqual([...limits].sort((one, other) => one - other));
    }
  });

  it('answers by the exact name, for its own hosts only', () => {
    expect(findListPrice('openai', 'gpt-4o-2024-08-06')).toEqual({ input: 2.5, output: 10, cachedInput: 1.25 });
    for (const name of ['GPT-4o', 'gpt-4o-2024-08-07', 'openai/gpt-4o', 'my-gpt-4o', 'constructor', ''])
      expect(findListPrice('openai', name)).toBeUndefined();
    expect(findListPrice('groq', 'gpt-4o')).toBeUndefined();
    expect(findListPrice(undefined, 'gpt-4o')).toBeUndefined();
    expect(findListPrice('free', 'anything')).toMatchObject({ input: 0, output: 0, image: 0 });
  });
});

describe('the models that read PDF files', () => {
  it('are known by their exact names, and are never denied', () => {
    expect(findListedPdf('openai', 'gpt-4o')).toBe(true);
    expect(findListedPdf('anthropic', 'claude-sonnet-4-5-20250929')).toBe(true);
    expect(findListedPdf('google', 'gemini-2.5-flash')).toBe(true);
    for (const [list, model] of [
      ['openai', 'gpt-3.5-turbo'],
      ['groq', 'gpt-4o'],
      ['free', 'gpt-4o'],
      [undefined, 'gpt-4o'],
    ] as const)
      expect(findListedPdf(list, model)).toBeUndefined();
  });

  it('are marked in the public list', () => {
    const entry = { litellm_provider: 'openai', mode: 'chat', input_cost_per_token: 1e-6, output_cost_per_token: 1e-6 };
    const convertPdf = (pdf: unknown) => convertPrices({ m: { ...entry, supports_pdf_input: pdf } })[0]?.['pdf'];
    expect([true, false, undefined].map(convertPdf)).toEqual([true, undefined, undefined]);
  });
});

describe('the conversion of the public list', () => {
  const convert = (name: string, entry: object) => convertPrices({ [name]: entry });

  it('reads prices of tokens, also those of long prompts', () => {
    const entry = {
      ...{ litellm_provider: 'gemini', mode: 'chat', input_cost_per_token: 1.25e-6, output_cost_per_token: 1e-5 },
      ...{ cache_read_input_token_cost: 1.25e-7, cache_creation_input_token_cost: 0, input_cost_per_audio_token: 3e-6 },
      ...{ input_cost_per_token_above_200k_tokens: 2.5e-6, output_cost_per_token_above_200k_tokens: 1.5e-5 },
      ...{ output_cost_per_reasoning_token: 1e-5, input_cost_per_token_priority: 9 },
    };
    expect(convert('gemini/gemini-2.5-pro', entry)).toEqual([
      {
        ...{ provider: 'google', model: 'gemini-2.5-pro', input: 1.25, output: 10, cachedInput: 0.125, audioInput: 3 },
        longPrompt: [{ above: 200_000, input: 2.5, output: 15 }],
      },
    ]);
    const tiers = [
      { range: [0, 32_000], input_cost_per_token: 1e-6, output_cost_per_token: 5e-6 },
      { range: [32_000, 128_000], input_cost_per_token: 2e-6, output_cost_per_token: 6e-6 },
      { range: [128_000, 256_000], input_cost_per_token: 3e-6, output_cost_per_token: 7e-6 },
    ];
    expect(convert('dashscope/qwen', { litellm_provider: 'dashscope', mode: 'chat', tiered_pricing: tiers })).toEqual([
      {
        ...{ provider: 'alibaba', model: 'qwen', input: 1, output: 5 },
        longPrompt: [
          { above: 32_000, input: 2, output: 6 },
          { above: 128_000, input: 3, output: 7 },
        ],
      },
    ]);
  });

  it('reads prices of images by quality and size, unless their tokens have one', () => {
    const openai = { litellm_provider: 'openai', mode: 'image_generation' };
    const byPixels = (dollars: number) => ({ ...openai, input_cost_per_pixel: dollars, output_cost_per_pixel: 0 });
    const list = {
      'standard/1024-x-1024/dall-e-3': byPixels(3.814_69e-8),
      'hd/1024-x-1792/dall-e-3': byPixels(6.539e-8),
      '256-x-256/dall-e-2': byPixels(2.4414e-7),
      'hd/1-x-1/../dall-e-3': byPixels(1),
      'hd/1024-x-1024/free': byPixels(0),
      'gpt-image-1': { ...openai, input_cost_per_token: 5e-6, output_cost_per_image_token: 4e-5 },
      'low/1024-x-1024/gpt-image-1': { ...openai, input_cost_per_image: 0.011 },
      'azure/hd/1024-x-1024/dall-e-3': { ...byPixels(1), litellm_provider: 'azure' },
    };
    expect(convertPrices(list)).toEqual([
      { provider: 'openai', model: 'dall-e-2', image: 0.016, imageRates: [{ size: '256x256', usd: 0.016 }] },
      {
        ...{ provider: 'openai', model: 'dall-e-3', image: 0.12 },
        imageRates: [
          { quality: 'hd', size: '1024x1792', usd: 0.12 },
          { quality: 'standard', size: '1024x1024', usd: 0.04 },
        ],
      },
      { provider: 'openai', model: 'gpt-image-1', input: 5, output: 40, imageOutput: 40 },
    ]);
  });

  it('reads prices of images, minutes and characters', () => {
    const openai = { litellm_provider: 'openai' };
    expect(
      convert('xai/imagine', { litellm_provider: 'xai', mode: 'image_generation', input_cost_per_image: 0.02 }),
    ).toEqual([{ provider: 'xai', model: 'imagine', image: 0.02 }]);
    expect(
      convert('whisper-1', {
        ...openai,
        mode: 'audio_transcription',
        input_cost_per_second: 1e-4,
        output_cost_per_second: 1e-4,
      }),
    ).toEqual([{ provider: 'openai', model: 'whisper-1', audioMinute: 0.006 }]);
    expect(convert('tts-1', { ...openai, mode: 'audio_speech', input_cost_per_character: 1.5e-5 })).toEqual([
      { provider: 'openai', model: 'tts-1', characters: 15 },
    ]);
    expect(
      convert('gpt-image-1', {
        ...{ ...openai, mode: 'image_generation', input_cost_per_token: 5e-6, input_cost_per_image_token: 1e-5 },
        output_cost_per_image_token: 4e-5,
      }),
    ).toEqual([{ provider: 'openai', model: 'gpt-image-1', input: 5, output: 40, imageInput: 10, imageOutput: 40 }]);
  });

  it.each([
    ['other hosts', 'azure/gpt-4o', { litellm_provider: 'azure', mode: 'chat', input_cost_per_token: 1e-6 }],
    ['other modes', 'sora', { litellm_provider: 'openai', mode: 'video_generation', output_cost_per_second: 1 }],
    [
      'prices of 0',
      'free',
      { litellm_provider: 'openai', mode: 'chat', input_cost_per_token: 0, output_cost_per_token: 0 },
    ],
    [
      'prices per request',
      'p',
      { litellm_provider: 'perplexity', mode: 'chat', input_cost_per_token: 1, input_cost_per_request: 1 },
    ],
    [
      'negative prices',
      'n',
      { litellm_provider: 'openai', mode: 'chat', input_cost_per_token: -1, output_cost_per_token: -1 },
    ],
    ['absurd prices', 'a', { litellm_provider: 'openai', mode: 'chat', input_cost_per_token: 1e308 }],
    [
      'prices of steps',
      '1024-x-1024/50-steps/i',
      { litellm_provider: 'openai', mode: 'image_generation', input_cost_per_image: 1 },
    ],
    ['fine-tuned models', 'ft:gpt-4o', { litellm_provider: 'openai', mode: 'chat', input_cost_per_token: 1e-6 }],
    ['things that are no models', 'x', { litellm_provider: 'openai' }],
  ])('leaves out %s', (_what, name, entry) => {
    expect(convert(name, entry)).toEqual([]);
  });
});
