import type { ModelPrice, TokenUsage } from '../models/index.ts';

/** Returns the price of a provider's model; undefined if unknown. */
export type FindPrice = (provider: string, model: string) => ModelPrice | undefined;

/** Returns the cost in US dollars; undefined if the price is unknown. */
export function toTokenCost(price: ModelPrice | undefined, used: TokenUsage): number | undefined {
  return price && (used.promptTokens * price.input + used.completionTokens * price.output) / 1_000_000;
}

/** Returns the cost in US dollars; undefined if the price of an image is unknown. */
export function toImageCost(price: ModelPrice | undefined, count: number): number | undefined {
  return price?.image === undefined ? undefined : price.image * count;
}
