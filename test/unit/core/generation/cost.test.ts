import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toAudioCost, toImageCost, toTokenCost } from '../../../../src/core/generation/metering/cost.ts';

const PRICE = { input: 3, output: 15 };

describe('the cost of tokens', () => {
  it('is computed exactly and rounded once', () => {
    expect(toTokenCost({ input: 0.0375, output: 0 }, { promptTokens: 1, completionTokens: 0 })).toBe(0.000_000_038);
    expect(toTokenCost({ input: 0.15, output: 0.6 }, { promptTokens: 3, completionTokens: 7 })).toBe(0.000_004_65);
    // Two halves of a billionth: each would be rounded up alone.
    expect(toTokenCost({ input: 0.0005, output: 0.0005 }, { promptTokens: 1, completionTokens: 1 })).toBe(1e-9);
  });

  it('is unknown without a price, or if a kind of tokens has none', () => {
    expect(toTokenCost(undefined, { promptTokens: 1, completionTokens: 1 })).toBeUndefined();
    expect(toTokenCost({ image: 0.04 }, { promptTokens: 1, completionTokens: 1 })).toBeUndefined();
    expect(toTokenCost({ input: 1 }, { promptTokens: 1, completionTokens: 1 })).toBeUndefined();
    expect(toTokenCost({ input: 1 }, { promptTokens: 1, completionTokens: 0 })).toBe(0.000_001);
  });

  it('is 0 for a price of 0', () => {
    expect(toTokenCost({ input: 0, output: 0 }, { promptTokens: 1e6, completionTokens: 1e6 })).toBe(0);
  });

  it('counts each kind of tokens at its own price', () => {
    const price = {
      ...{ ...PRICE, cachedInput: 0.3, cacheWrite: 3.75, cacheWriteHour: 6, audioInput: 40, imageInput: 10 },
      ...{ reasoning: 20, audioOutput: 80, imageOutput: 30 },
    };
    const used = {
      ...{ promptTokens: 1_000_000, cachedTokens: 500_000, cacheWriteTokens: 200_000, cacheWriteHourTokens: 100_000 },
      ...{ audioInputTokens: 100_000, imageInputTokens: 100_000 },
      ...{
        completionTokens: 1_000_000,
        reasoningTokens: 600_000,
        audioOutputTokens: 200_000,
        imageOutputTokens: 100_000,
      },
    };
    const input = 0.1 * 3 + 0.5 * 0.3 + 0.1 * 3.75 + 0.1 * 6 + 0.1 * 40 + 0.1 * 10;
    const output = 0.1 * 15 + 0.6 * 20 + 0.2 * 80 + 0.1 * 30;
    expect(toTokenCost(price, used)).toBeCloseTo(input + output, 12);
  });

  it('counts kinds without an own price like other tokens', () => {
    const used = {
      cachedTokens: 5,
      cacheWriteTokens: 3,
      audioInputTokens: 1,
      reasoningTokens: 7,
      audioOutputTokens: 2,
    };
    expect(toTokenCost(PRICE, { promptTokens: 10, completionTokens: 10, ...used })).toBe(0.000_18);
  });

  it('has the rates of long prompts above their limit only', () => {
    const price = { ...PRICE, cachedInput: 0.3, longPrompt: [{ above: 200_000, input: 6, output: 22.5 }] };
    expect(toTokenCost(price, { promptTokens: 200_000, completionTokens: 0 })).toBe(0.6);
    expect(toTokenCost(price, { promptTokens: 200_001, completionTokens: 0 })).toBe(1.200_006);
    expect(toTokenCost(price, { promptTokens: 200_001, completionTokens: 1, cachedTokens: 200_001 })).toBe(0.060_022_8);
  });

  it('is the one that the provider reports', () => {
    const used = { promptTokens: 10, completionTokens: 10, costUsd: 0.000_123_456_78 };
    expect([toTokenCost(PRICE, used), toTokenCost(undefined, used)]).toEqual([0.000_123_457, 0.000_123_457]);
  });

  it('does not exceed that of the dearest kind when the parts exceed the total', () => {
    const used = { promptTokens: 10, completionTokens: 0, audioInputTokens: 8, cachedTokens: 9, cacheWriteTokens: 9 };
    expect(toTokenCost({ ...PRICE, audioInput: 40 }, used)).toBe((8 * 40 + 2 * 3) / 1e6);
  });

  const counts = fc.record({
    promptTokens: fc.nat(),
    completionTokens: fc.nat(),
    cachedTokens: fc.nat(),
    cacheWriteTokens: fc.nat(),
    reasoningTokens: fc.nat(),
  });
  it('never changes with the split if all kinds have one price', () => {
    const price = { input: 7, cachedInput: 7, cacheWrite: 7, output: 9, reasoning: 9 };
    fc.assert(
      fc.property(counts, (used) => {
        const { promptTokens, completionTokens } = used;
        expect(toTokenCost(price, used)).toBe(toTokenCost(price, { promptTokens, completionTokens }));
      }),
    );
  });
});

describe('the cost of images', () => {
  const used = { promptTokens: 100, completionTokens: 1000 };
  const drawn = (count: number, size = { width: 1024, height: 1024 }) => ({
    images: Array.from({ length: count }, () => size),
  });

  it('is that of the images', () => {
    expect(toImageCost({ image: 0.042 }, drawn(3))).toBe(0.126);
    expect(toImageCost({ image: 0 }, drawn(3))).toBe(0);
    expect(toImageCost({ image: 0.042, input: 5, output: 40 }, { ...drawn(3), tokens: used })).toBe(0.126);
  });

  it('is that of the tokens if they are known and image tokens have a price, or images have none', () => {
    expect(toImageCost({ image: 0.042, input: 5, imageOutput: 40 }, { ...drawn(3), tokens: used })).toBe(0.040_5);
    expect(toImageCost({ image: 0.042, input: 5, imageOutput: 40 }, drawn(3))).toBe(0.126);
    expect(
      toImageCost(
        { input: 5, imageInput: 10, imageOutput: 40 },
        { ...drawn(1), tokens: { ...used, imageInputTokens: 60 } },
      ),
    ).toBe(0.040_8);
    expect(toImageCost({ input: 5, output: 40 }, { ...drawn(1), tokens: used })).toBe(0.040_5);
  });

  it('is unknown without prices or tokens', () => {
    expect(toImageCost(undefined, { ...drawn(1), tokens: used })).toBeUndefined();
    expect(toImageCost({ input: 5, output: 40 }, drawn(1))).toBeUndefined();
  });

  const imageRates = [
    { quality: 'standard', size: '1024x1024', usd: 0.04 },
    { quality: 'standard', size: '1024x1792', usd: 0.08 },
    { quality: 'hd', usd: 0.12 },
  ];
  const price = { image: 0.12, imageRates };
  const wide = { width: 1024, height: 1792 };

  it('is by the quality that the host has used, else that of the request, else the usual one', () => {
    expect(toImageCost(price, { ...drawn(3), quality: 'hd' })).toBe(0.36);
    expect(toImageCost(price, { ...drawn(3), quality: 'hd', reported: 'Standard' })).toBe(0.12);
    expect(toImageCost(price, { ...drawn(3), quality: 'hd', reported: 'new' })).toBe(0.36);
    expect(toImageCost(price, drawn(3))).toBe(0.12);
    const levels = [
      { quality: 'low', usd: 0.01 },
      { quality: 'high', usd: 0.17 },
    ];
    expect(toImageCost({ imageRates: levels }, drawn(1))).toBe(0.17);
    expect(toImageCost({ imageRates: levels }, { ...drawn(1), reported: 'low' })).toBe(0.01);
  });

  it('is by the size that the host has drawn, and the dearest one for a size without a price', () => {
    expect(toImageCost(price, { images: [...drawn(1).images, wide], quality: 'standard' })).toBe(0.12);
    expect(toImageCost(price, { ...drawn(1, wide), quality: 'hd' })).toBe(0.12);
    expect(toImageCost(price, { ...drawn(1, { width: 7, height: 7 }), quality: 'standard' })).toBe(0.08);
  });

  it('is unknown for a quality without a price', () => {
    expect(toImageCost(price, { ...drawn(1), quality: 'ultra' })).toBeUndefined();
    expect(toImageCost(price, { ...drawn(1), quality: null })).toBeUndefined();
  });

  it('is that of the tokens, or the reported one, also if qualities have prices', () => {
    expect(toImageCost({ ...price, input: 5, imageOutput: 40 }, { ...drawn(3), tokens: used })).toBe(0.040_5);
    expect(toImageCost(price, { ...drawn(3), tokens: { ...used, costUsd: 0.5 } })).toBe(0.5);
  });
});

describe('the cost of audio', () => {
  it('is that of the characters, tokens or minutes', () => {
    expect(toAudioCost({ characters: 15, audioMinute: 1 }, { characters: 1000, audioSeconds: 60 })).toBe(0.015);
    expect(toAudioCost({ audioMinute: 0.006 }, { audioSeconds: 10 })).toBe(0.001);
    expect(toAudioCost({ audioMinute: 0.006 }, { audioSeconds: 10, characters: 5 })).toBe(0.001);
    const tokens = { promptTokens: 100, completionTokens: 10, audioInputTokens: 90 };
    const price = { input: 2.5, audioInput: 6, output: 10, audioMinute: 0.006 };
    expect(toAudioCost(price, { tokens, audioSeconds: 60 })).toBe(0.000_665);
    expect(toAudioCost({ audioMinute: 0.006 }, { tokens, audioSeconds: 60 })).toBe(0.006);
  });

  it('is unknown if what has a price is not known', () => {
    expect(toAudioCost({ audioMinute: 0.006 }, { characters: 5 })).toBeUndefined();
    expect(toAudioCost({ characters: 15 }, { audioSeconds: 5 })).toBeUndefined();
    expect(toAudioCost(undefined, { audioSeconds: 5, characters: 5 })).toBeUndefined();
  });
});
