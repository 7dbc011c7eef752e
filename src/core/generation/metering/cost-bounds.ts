import { toNineDecimals } from '../../../lib/dollars.ts';
import type { ExpectedCost } from '../../limits/index.ts';
import { type ChatRequest, type ImageRequest, lowerLengths, type ModelPrice } from '../../models/index.ts';
import { findDearestRate, readQuality } from './image-rates.ts';
import { TOKENS_PER_IMAGE, TOKENS_PER_MESSAGE } from './prompt-bound.ts';

/** Returns the prices of all targets of a public model name; undefined if one of them is unknown. */
export type FindPrices = (model: string) => readonly ModelPrice[] | undefined;

/** Bounds of the cost of an answer, with the length that the reserved amount pays for. */
export interface ChatCost extends ExpectedCost {
  /** Returns the request with the maximum length that the reserved amount pays for. */
  limitLength(request: ChatRequest, grantedUsd: number): ChatRequest;
}

const MILLION = 1_000_000;
/** Assumed maximum length of an answer, if the request has none. */
const USUAL_MAX_OUTPUT_TOKENS = 32_768;
/** An answer may be shortened to this length by a budget; a budget with less is used up. */
const LEAST_OUTPUT_TOKENS = 1024;

/**
 * Returns the bounds of what a chat completion can cost at the dearest of the prices; undefined if a price is missing.
 * @param promptTokens upper bound.
 * @param contextLength tokens of prompt and answer together, if known.
 */
export function boundChatCost(
  request: ChatRequest,
  prices: readonly ModelPrice[] | undefined,
  { promptTokens, contextLength = USUAL_MAX_OUTPUT_TOKENS }: BoundOptions,
): ChatCost | undefined {
  const inputRate = findDearest(prices, (price) => toInputRate(price, promptTokens, hasMedia(request)));
  const outputRate = findDearest(prices, (price) => toOutputRate(price, promptTokens, readModalities(request)));
  if (inputRate === undefined || outputRate === undefined) return undefined;
  const requestUsd = findDearest(prices, ({ request: usd = 0 }) => usd) ?? 0;
  const { choiceCount = 1, maxOutputTokens } = request;
  const most = maxOutputTokens ?? Math.min(contextLength, USUAL_MAX_OUTPUT_TOKENS);
  const promptUsd = (inputRate * promptTokens) / MILLION + requestUsd;
  const tokenUsd = (outputRate * Math.max(1, choiceCount)) / MILLION;
  const mostUsd = toNineDecimals(promptUsd + tokenUsd * most);
  return {
    leastUsd: toNineDecimals(promptUsd + tokenUsd * Math.min(most, LEAST_OUTPUT_TOKENS)),
    mostUsd,
    limitLength(limited, grantedUsd) {
      const isTight = grantedUsd < mostUsd;
      const paid = isTight ? Math.max(1, Math.floor((grantedUsd - promptUsd) / tokenUsd)) : most;
      return limitLength(limited, Math.min(most, paid), { isTight });
    },
  };
}

/** Returns the most that images can cost, by the dearer of their prices; undefined if a price is not known. */
export function boundImageCost(
  request: Pick<ImageRequest, 'count' | 'prompt' | 'sources' | 'extraFields'>,
  prices: readonly ModelPrice[] | undefined,
): ExpectedCost | undefined {
  const { count, prompt, sources = [] } = request;
  const promptTokens = TOKENS_PER_MESSAGE + Buffer.byteLength(prompt) + sources.length * TOKENS_PER_IMAGE;
  const usd = findDearest(prices, (price) => {
    const { imageRates, imageOutput } = price;
    const image = imageRates ? findDearestRate(imageRates, readQuality(request)) : price.image;
    if (image === undefined && imageOutput === undefined) return undefined;
    const tokenCost = ((imageOutput ?? 0) * TOKENS_PER_IMAGE * count) / MILLION;
    const promptCost = ((toInputRate(price, promptTokens, true) ?? 0) * promptTokens * count) / MILLION;
    return imageOutput === undefined ? (image ?? 0) * count : Math.max((image ?? 0) * count, tokenCost + promptCost);
  });
  return toFixedCost(usd);
}

interface BoundOptions {
  readonly promptTokens: number;
  readonly contextLength?: number | undefined;
}

/** Returns the bounds of a request that must be paid for as a whole. */
export function toFixedCost(usd: number | undefined): ExpectedCost | undefined {
  if (usd === undefined) return undefined;
  const rounded = toNineDecimals(usd);
  return { leastUsd: rounded, mostUsd: rounded };
}

/** Returns the dearest rate; undefined if a price or its rate is not known. */
export function findDearest(
  prices: readonly ModelPrice[] | undefined,
  toRate: (price: ModelPrice) => number | undefined,
): number | undefined {
  const rates = prices?.map(toRate) ?? [];
  return rates.length > 0 && rates.every((rate) => rate !== undefined) ? Math.max(...rates) : undefined;
}

/** Returns the dearest rate of prompt tokens, those of long prompts if it may be long; undefined if unknown. */
export function toInputRate(price: ModelPrice, promptTokens: number, hasOtherMedia: boolean): number | undefined {
  const { input, cacheWrite, cacheWriteHour, audioInput, imageInput, longPrompt = [] } = price;
  const long = longPrompt.flatMap((tier) => (promptTokens > tier.above ? [tier.input, tier.cacheWrite] : []));
  const media = hasOtherMedia ? [audioInput, imageInput] : [];
  return input === undefined ? undefined : maxOf([input, cacheWrite, cacheWriteHour, ...long, ...media]);
}

/** Returns undefined if the price of a requested modality is not known. */
function toOutputRate(
  { output, reasoning, audioOutput, imageOutput, longPrompt = [] }: ModelPrice,
  promptTokens: number,
  modalities: readonly unknown[],
): number | undefined {
  const long = longPrompt.flatMap((tier) => (promptTokens > tier.above ? [tier.output] : []));
  const media = [
    ...(modalities.includes('audio') ? [audioOutput] : []),
    ...(modalities.includes('image') ? [imageOutput] : []),
  ];
  if (output === undefined || (output > 0 && media.includes(undefined))) return undefined;
  return maxOf([output, reasoning, imageOutput, ...long, ...media]);
}

function maxOf(rates: readonly (number | undefined)[]): number {
  return Math.max(...rates.filter((rate) => rate !== undefined));
}

function hasMedia({ messages }: ChatRequest): boolean {
  return messages.some(({ content }) => typeof content !== 'string' && content.some(({ type }) => type !== 'text'));
}

function readModalities({ extraFields, native }: ChatRequest): readonly unknown[] {
  const modalities = native?.body['modalities'] ?? extraFields?.['modalities'];
  return Array.isArray(modalities) ? modalities : [];
}

/**
 * Returns the request with at most this length of each choice, under each name that its maximum has.
 * @param options.isTight the budget pays for no more. Otherwise the length is optional: a model that refuses it has a
 * lower maximum of its own.
 */
function limitLength(request: ChatRequest, tokens: number, { isTight }: { readonly isTight: boolean }): ChatRequest {
  const { maxOutputTokens = Number.POSITIVE_INFINITY, optional = [], extraFields, native } = request;
  const most = Math.min(maxOutputTokens, tokens);
  const others = optional.filter((name) => name !== 'maxOutputTokens');
  if (most === maxOutputTokens) {
    const limited = { ...request, native: native && withMaximum(native, most) };
    return isTight ? { ...limited, optional: others } : limited;
  }
  return {
    ...request,
    maxOutputTokens: most,
    optional: isTight ? others : [...others, 'maxOutputTokens'],
    extraFields: extraFields && lowerLengths(extraFields, most),
    native: native && withMaximum({ ...native, body: lowerLengths(native.body, most) }, most),
  };
}

/**
 * Adds the maximum to a legacy completion that has it under other names only: the host may not know them. Providers of
 * chats add it under the name that their host knows.
 */
function withMaximum(native: NonNullable<ChatRequest['native']>, tokens: number): NonNullable<ChatRequest['native']> {
  const { dialect, body } = native;
  const isMissing = dialect === 'completions' && typeof body['max_tokens'] !== 'number';
  return isMissing ? { ...native, body: { ...body, max_tokens: tokens } } : native;
}
