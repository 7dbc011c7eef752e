import { MAX_DOLLARS } from '../../../lib/dollars.ts';
import { isJsonObject, type JsonObject } from '../../../lib/json/json.ts';
import type { ModelPrice, ModelType } from '../contract/provider.ts';

/**
 * Reads the price of a listed model. OpenRouter and Vercel report dollars per token as text, Together, DeepInfra and
 * Hugging Face dollars per million as numbers. Negative values mean a variable price.
 */
export function readPrice(entry: JsonObject, type: ModelType): ModelPrice | undefined {
  const pricing = findPricing(entry);
  if (!pricing) return undefined;
  const input = toRate(pricing.prompt ?? pricing.input ?? pricing.input_tokens);
  const output = toRate(pricing.completion ?? pricing.output ?? pricing.output_tokens);
  const isPerToken = input !== undefined && output !== undefined;
  const price = isPerToken ? { input, output, ...readFurtherRates(pricing) } : readUnitPrice(pricing, type);
  const known = Object.entries(price).filter(([, amount]) => amount !== undefined);
  return known.length > 0 ? Object.fromEntries(known) : undefined;
}

function findPricing(entry: JsonObject): JsonObject | undefined {
  const metadata = isJsonObject(entry.metadata) ? entry.metadata : {};
  const hosts = providersOf(entry);
  return [entry.pricing, metadata.pricing, ...hosts.map(({ pricing }) => pricing)].find(isJsonObject);
}

/** In these fields 0 means that there is no price of its own. */
function readFurtherRates(pricing: JsonObject): ModelPrice {
  const cached = pricing.input_cache_read ?? pricing.cache_read_tokens ?? pricing.cached_input;
  return {
    cachedInput: toRate(cached) || undefined,
    cacheWrite: toRate(pricing.input_cache_write ?? pricing.cache_write_tokens) || undefined,
    reasoning: toRate(pricing.internal_reasoning) || undefined,
    audioInput: toRate(pricing.audio) || undefined,
    audioOutput: toRate(pricing.audio_output) || undefined,
    imageOutput: toRate(pricing.image_output) || undefined,
    request: toAmount(pricing.request, 1) || undefined,
  };
}

/** `image` is the price of a generated image for image models only; OpenRouter has the price of a sent one there. */
function readUnitPrice(pricing: JsonObject, type: ModelType): ModelPrice {
  return {
    image: type === 'image' ? toAmount(pricing.image, 1) : undefined,
    audioMinute: toAmount(pricing.audio_minute, 1),
    characters: toAmount(pricing.character, 1_000_000),
  };
}

/** Returns dollars per million tokens. */
function toRate(value: unknown): number | undefined {
  return toAmount(value, typeof value === 'string' ? 1_000_000 : 1);
}

const MAX_AMOUNT_LENGTH = 50;

function toAmount(value: unknown, factor: number): number | undefined {
  const isText = typeof value === 'string' && value.length <= MAX_AMOUNT_LENGTH && value.trim() !== '';
  const dollars = isText ? Number(value) : value;
  if (typeof dollars !== 'number' || !(dollars >= 0 && dollars * factor <= MAX_DOLLARS)) return undefined;
  // Decimals of `Dollars` would block the event loop for 100 ms with the longest list.
  return Number((dollars * factor).toFixed(9));
}

const MAX_HOSTS = 50;

/** Returns the hosts of a model, as Hugging Face's router lists them. */
export function providersOf(entry: JsonObject): readonly JsonObject[] {
  return Array.isArray(entry.providers) ? entry.providers.slice(0, MAX_HOSTS).filter(isJsonObject) : [];
}
