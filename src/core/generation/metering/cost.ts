import type { Decimal } from 'decimal.js';
import { Dollars, toNineDecimals } from '../../../lib/dollars.ts';
import type { ImageSize, ModelPrice, TokenUsage } from '../../models/index.ts';
import { toRatedCost } from './image-rates.ts';

/** Returns the price of a provider's model; undefined if unknown. */
export type FindPrice = (provider: string, model: string) => ModelPrice | undefined;

/** Sound that was spoken or transcribed; undefined fields are unknown. */
export interface AudioUse {
  readonly tokens?: TokenUsage | undefined;
  readonly audioSeconds?: number | undefined;
  /** Characters that were read aloud. */
  readonly characters?: number | undefined;
}

const MILLION = 1_000_000;

/**
 * Returns the cost in US dollars, computed exactly and rounded once; undefined if a price is unknown. A cost that the
 * provider reports takes precedence.
 * @param requestCount number of times that the price of a request is charged.
 */
export function toTokenCost(price: ModelPrice | undefined, used: TokenUsage, requestCount = 1): number | undefined {
  if (used.costUsd !== undefined) return toNineDecimals(used.costUsd);
  const cost = price && sumOf(toTokenParts(price, used));
  return cost && toNineDecimals(cost.div(MILLION).add(new Dollars(price?.request ?? 0).mul(requestCount)));
}

/** Generated images of one request. */
export interface ImageUse {
  /** As the host has drawn them. */
  readonly images: readonly ImageSize[];
  /** That the client has requested; see `readQuality`. */
  readonly quality?: string | undefined | null;
  /** Quality that the host has reported. */
  readonly reported?: string | undefined;
  readonly tokens?: TokenUsage | undefined;
}

/**
 * Returns the cost in US dollars: that of the tokens if image tokens have a price and are known, else that of the
 * images, by quality and size if they have such prices; undefined if unknown.
 */
export function toImageCost(
  price: ModelPrice | undefined,
  { images, quality, reported, tokens: used }: ImageUse,
): number | undefined {
  if (used?.costUsd !== undefined) return toTokenCost(price, used);
  const isPerToken = used !== undefined && price?.imageOutput !== undefined;
  if (price?.imageRates && !isPerToken) return toRatedCost(price.imageRates, images, { quality, reported });
  if (price?.image !== undefined && !isPerToken) return toNineDecimals(new Dollars(price.image).mul(images.length));
  if (!used) return undefined;
  // Image models answer with images only, and few hosts tell image tokens apart.
  return toTokenCost(price, { ...used, imageOutputTokens: used.imageOutputTokens ?? used.completionTokens });
}

/** Returns the cost in US dollars by characters, tokens or minutes, whichever has a price and is known. */
export function toAudioCost(
  price: ModelPrice | undefined,
  { tokens, audioSeconds, characters }: AudioUse,
): number | undefined {
  if (tokens?.costUsd !== undefined) return toTokenCost(price, tokens);
  if (price?.characters !== undefined && characters !== undefined)
    return toNineDecimals(new Dollars(price.characters).mul(characters).div(MILLION));
  const hasTokens = tokens !== undefined && tokens.promptTokens + tokens.completionTokens > 0;
  const tokenCost = hasTokens ? toTokenCost(price, tokens) : undefined;
  if (tokenCost !== undefined) return tokenCost;
  if (price?.audioMinute === undefined || audioSeconds === undefined) return undefined;
  return toNineDecimals(new Dollars(price.audioMinute).mul(audioSeconds).div(60));
}

type Part = readonly [count: number, rate: number | undefined];

/** Returns each kind of tokens with its rate. Kinds that overlap, or exceed the total, count once. */
function toTokenParts(price: ModelPrice, used: TokenUsage): readonly Part[] {
  const rates = { ...price, ...price.longPrompt?.findLast(({ above }) => used.promptTokens > above) };
  const { input, output } = rates;
  const cacheWrite = rates.cacheWrite ?? input;
  const writtenForHour = Math.min(used.cacheWriteHourTokens ?? 0, used.cacheWriteTokens ?? 0);
  const written = (used.cacheWriteTokens ?? 0) - writtenForHour;
  return [
    ...split(used.promptTokens, input, [
      [used.audioInputTokens, rates.audioInput ?? input],
      [used.imageInputTokens, rates.imageInput ?? input],
      [writtenForHour, rates.cacheWriteHour ?? cacheWrite],
      [written, cacheWrite],
      [used.cachedTokens, rates.cachedInput ?? input],
    ]),
    ...split(used.completionTokens, output, [
      [used.audioOutputTokens, rates.audioOutput ?? output],
      [used.imageOutputTokens, rates.imageOutput ?? output],
      [used.reasoningTokens, rates.reasoning ?? output],
    ]),
  ];
}

/** Takes the special kinds from the total in order; the rest has the base rate. */
function split(
  total: number,
  rate: number | undefined,
  kinds: readonly (readonly [count: number | undefined, rate: number | undefined])[],
): readonly Part[] {
  let rest = total;
  const parts = kinds.map(([reported = 0, kindRate]): Part => {
    const count = Math.min(reported, rest);
    rest -= count;
    return [count, kindRate];
  });
  return [...parts, [rest, rate]];
}

/** Returns undefined if anything counted has no rate. */
function sumOf(parts: readonly Part[]): Decimal | undefined {
  let sum = new Dollars(0);
  for (const [count, rate] of parts) {
    if (count === 0) continue;
    if (rate === undefined) return undefined;
    sum = sum.add(new Dollars(rate).mul(count));
  }
  return sum;
}
