import type { ModelPrice, TokenUsage } from '../models/index.ts';

/** What a provider's model costs, where that is known. */
export type FindPrice = (provider: string, model: string) => ModelPrice | undefined;

/** US dollars; undefined where no price is known. */
export function toTokenCost(price: ModelPrice | undefined, used: TokenUsage): number | undefined {
  return price && (used.promptTokens * price.input + used.completionTokens * price.output) / 1_000_000;
}

/** US dollars; undefined where no price of a picture is known. */
export function toPictureCost(price: ModelPrice | undefined, count: number): number | undefined {
  return price?.picture === undefined ? undefined : price.picture * count;
}
