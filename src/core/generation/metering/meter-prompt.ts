import type { ModelPrice, UnknownFields } from '../../models/index.ts';
import type { Requester } from '../requester.ts';
import { toTokenCost } from './cost.ts';
import { findDearest, toFixedCost, toInputRate } from './cost-bounds.ts';
import { findPriceOf, type MeteringDeps, reserveRequest } from './reserve-and-settle.ts';

export interface PromptUse {
  readonly kind: 'embedding' | 'moderation' | 'rerank';
  /** Public name of the model. */
  readonly model: string;
  /** Extra fields of the client. */
  readonly extraFields: UnknownFields | undefined;
  /** Signal of the client. */
  readonly signal: AbortSignal;
  /** Estimates the tokens of the prompt. */
  readonly estimateTokens: () => number;
  /** Returns an upper bound of the tokens of the prompt. */
  readonly boundTokens: () => number;
  /** Maximum number of times that the price of a request is charged. Default 1. */
  readonly mostRequests?: number | undefined;
}

interface Answer {
  readonly provider: string;
  /** The provider's name of the model. */
  readonly model: string;
  /** Undefined if the host does not report it. */
  readonly promptTokens?: number | undefined;
  /** Number of times that the price of a request is charged. Default 1. */
  readonly chargedRequests?: number | undefined;
}

/**
 * Runs work whose tokens are all in the prompt. Reserves the estimate, and records the usage that the provider reports,
 * else the estimate.
 * @throws LimitExceededError; errors of `work`.
 */
export async function meterPrompt<Result extends Answer>(
  deps: MeteringDeps,
  requester: Requester,
  { kind, model, extraFields, signal, estimateTokens, boundTokens, mostRequests = 1 }: PromptUse,
  work: () => Promise<Result>,
): Promise<Result & { readonly promptTokens: number }> {
  const request = { model, extraFields };
  const cost = () => {
    const tokens = boundTokens();
    const usd = findDearest(deps.findPrices?.(model), (price) => {
      const rate = toInputRate(toPromptPrice(price), tokens, true);
      return rate === undefined ? undefined : (rate * tokens) / 1_000_000 + (price.request ?? 0) * mostRequests;
    });
    return toFixedCost(usd);
  };
  const use = { kind, request, cost, tokens: estimateTokens, moreTokens: 0, images: 0 };
  const metered = await reserveRequest(deps, requester, use);
  return metered.run(signal, async () => {
    const result = await work();
    const promptTokens = result.promptTokens ?? estimateTokens();
    const tokens = { promptTokens, completionTokens: 0 };
    const price = findPriceOf(deps, request, result);
    const answered = {
      ...tokens,
      replyId: undefined,
      model,
      provider: result.provider,
      imageCount: 0,
      costUsd: toTokenCost(price && toPromptPrice(price), tokens, result.chargedRequests),
      isEstimated: result.promptTokens === undefined,
      finishReason: 'stop',
    };
    metered.record(answered, { tokens: promptTokens, images: 0 });
    return { ...result, promptTokens };
  });
}

/** Where requests have a price and tokens have none, tokens are free. */
function toPromptPrice(price: ModelPrice): ModelPrice {
  return price.request !== undefined && price.input === undefined ? { ...price, input: 0 } : price;
}
