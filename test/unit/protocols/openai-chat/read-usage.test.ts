import { describe, expect, it } from 'vitest';
import { readMediaUsage, readUsage } from '../../../../src/protocols/openai-chat/read-usage.ts';

describe('usage of chat completions', () => {
  it.each([
    [
      'OpenAI',
      {
        ...{ prompt_tokens: 1117, completion_tokens: 46, total_tokens: 1163 },
        prompt_tokens_details: { cached_tokens: 1024, audio_tokens: 50 },
        completion_tokens_details: {
          ...{ reasoning_tokens: 20, audio_tokens: 10 },
          ...{ accepted_prediction_tokens: 0, rejected_prediction_tokens: 0 },
        },
      },
      {
        ...{ promptTokens: 1117, completionTokens: 46, cachedTokens: 1024, audioInputTokens: 50 },
        ...{ reasoningTokens: 20, audioOutputTokens: 10 },
      },
    ],
    [
      'DeepSeek',
      {
        ...{ prompt_tokens: 20, completion_tokens: 300, total_tokens: 320 },
        ...{ prompt_cache_hit_tokens: 16, prompt_cache_miss_tokens: 4 },
        completion_tokens_details: { reasoning_tokens: 250 },
      },
      { promptTokens: 20, completionTokens: 300, cachedTokens: 16, reasoningTokens: 250 },
    ],
    [
      // Reasoning is in the total only.
      'xAI',
      {
        ...{ prompt_tokens: 125, completion_tokens: 48, total_tokens: 273, cost_in_usd_ticks: 37_756_000 },
        prompt_tokens_details: { text_tokens: 125, audio_tokens: 0, image_tokens: 0, cached_tokens: 98 },
        completion_tokens_details: { reasoning_tokens: 100, audio_tokens: 0 },
      },
      {
        ...{ promptTokens: 125, completionTokens: 148, cachedTokens: 98, reasoningTokens: 100, costUsd: 0.003_775_6 },
        ...{ audioInputTokens: 0, audioOutputTokens: 0, imageInputTokens: 0 },
      },
    ],
    [
      'OpenRouter',
      {
        ...{ prompt_tokens: 194, completion_tokens: 2, total_tokens: 196, cost: 0.95, is_byok: false },
        cost_details: { upstream_inference_cost: null },
        prompt_tokens_details: { cached_tokens: 0, cache_write_tokens: 100, audio_tokens: 0 },
        completion_tokens_details: { reasoning_tokens: 0 },
      },
      {
        ...{ promptTokens: 194, completionTokens: 2, cachedTokens: 0, cacheWriteTokens: 100, audioInputTokens: 0 },
        ...{ reasoningTokens: 0, costUsd: 0.95 },
      },
    ],
    [
      "OpenRouter with the operator's key",
      {
        ...{ prompt_tokens: 1, completion_tokens: 2, cost: 0.05, is_byok: true },
        cost_details: { upstream_inference_cost: 1 },
      },
      { promptTokens: 1, completionTokens: 2, costUsd: 1.05 },
    ],
    [
      'Perplexity',
      { prompt_tokens: 8, completion_tokens: 5, total_tokens: 13, cost: { request_cost: 0.005, total_cost: 0.006 } },
      { promptTokens: 8, completionTokens: 5, costUsd: 0.006 },
    ],
    [
      'DeepInfra',
      { prompt_tokens: 8, completion_tokens: 5, total_tokens: 13, estimated_cost: 0.000_02 },
      { promptTokens: 8, completionTokens: 5, costUsd: 0.000_02 },
    ],
    [
      "Google's compatible endpoint",
      { prompt_tokens: 9, completion_tokens: 10, total_tokens: 119 },
      { promptTokens: 9, completionTokens: 110 },
    ],
    [
      'Mistral',
      { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12, prompt_tokens_details: { cached_tokens: 8 } },
      { promptTokens: 9, completionTokens: 3, cachedTokens: 8 },
    ],
    [
      'Moonshot',
      { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12, cached_tokens: 8 },
      { promptTokens: 9, completionTokens: 3, cachedTokens: 8 },
    ],
  ])('is read as %s reports it', (_host, usage, expected) => {
    expect(readUsage({ usage })).toEqual(expected);
  });

  it('of Groq is in its own field of streams', () => {
    const usage = { queue_time: 0.02, prompt_tokens: 18, completion_tokens: 5, total_tokens: 23, total_time: 0.03 };
    expect(readUsage({ x_groq: { id: 'req_1', usage } })).toEqual({ promptTokens: 18, completionTokens: 5 });
  });

  it.each([
    ['a cost in an unknown currency', { cost: 5 }],
    ['a negative cost', { cost: -1, is_byok: false }],
    ['a cost that is no number', { cost: 'free', is_byok: false, estimated_cost: Number.NaN }],
    ['parts that are no counts', { prompt_tokens_details: { cached_tokens: -1, audio_tokens: '3' } }],
    ['details of another kind', { prompt_tokens_details: [], completion_tokens_details: null }],
  ])('leaves out %s', (_what, odd) => {
    expect(readUsage({ usage: { prompt_tokens: 1, completion_tokens: 2, ...odd } })).toEqual({
      promptTokens: 1,
      completionTokens: 2,
    });
  });
});

describe('usage of images and transcripts', () => {
  it('is read as OpenAI reports it', () => {
    const images = {
      ...{ input_tokens: 50, output_tokens: 1056, total_tokens: 1106 },
      input_tokens_details: { text_tokens: 10, image_tokens: 40 },
    };
    expect(readMediaUsage({ usage: images })).toEqual({
      promptTokens: 50,
      completionTokens: 1056,
      imageInputTokens: 40,
    });
    const tokens = {
      ...{ type: 'tokens', input_tokens: 14, output_tokens: 45, total_tokens: 59 },
      input_token_details: { text_tokens: 0, audio_tokens: 14 },
    };
    expect(readMediaUsage({ usage: tokens })).toEqual({ promptTokens: 14, completionTokens: 45, audioInputTokens: 14 });
  });

  it('may be a cost or a duration alone', () => {
    expect(readMediaUsage({ usage: { cost_in_usd_ticks: 200_000_000 } })).toEqual({
      ...{ promptTokens: 0, completionTokens: 0, costUsd: 0.02 },
    });
    expect(readMediaUsage({ usage: { type: 'duration', seconds: 9 } })).toBeUndefined();
    expect(readMediaUsage({})).toBeUndefined();
  });
});
