import type { UsageEntry } from '../accounts/index.ts';
import type { UnknownFields } from '../models/index.ts';
import { toTokenCost } from './cost.ts';
import { findDearest, toFixedCost, toInputRate } from './cost-bounds.ts';
import type { Requester } from './requester.ts';
import {
  findPaidFieldOf,
  type MeteringDeps,
  recordAndSettle,
  recordLeft,
  reserveFor,
  toSpending,
} from './reserve-and-settle.ts';

export interface PromptUse {
  readonly kind: 'embedding' | 'moderation';
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
}

interface Answer {
  readonly provider: string;
  /** The provider's name of the model. */
  readonly model: string;
  /** Undefined if the host does not report it. */
  readonly promptTokens?: number | undefined;
}

const NOTHING = { tokens: 0, images: 0 };

/**
 * Runs work whose tokens are all in the prompt. Reserves the estimate, and records the usage that the provider reports,
 * else the estimate.
 * @throws LimitExceededError; errors of `work`.
 */
export async function meterPrompt<Result extends Answer>(
  deps: MeteringDeps,
  requester: Requester,
  { kind, model, extraFields, signal, estimateTokens, boundTokens }: PromptUse,
  work: () => Promise<Result>,
): Promise<Result & { readonly promptTokens: number }> {
  const { usage, clock, limits, findPrice, findPrices } = deps;
  const paidField = findPaidFieldOf(deps, { model, extraFields });
  const cost = () => {
    const tokens = boundTokens();
    const usd = findDearest(findPrices?.(model), (price) => {
      const rate = toInputRate(price, tokens, true);
      return rate === undefined ? undefined : (rate * tokens) / 1_000_000 + (price.request ?? 0);
    });
    return toFixedCost(usd);
  };
  const spending = toSpending(requester, { kind, model, cost, findPaidField: () => paidField });
  const expected = { tokens: estimateTokens, moreTokens: 0, images: 0, spending };
  const reservation = await reserveFor(limits, requester, expected);
  try {
    const startedAt = clock.now();
    const result = await work();
    const promptTokens = result.promptTokens ?? estimateTokens();
    const price = paidField === undefined ? findPrice?.(result.provider, result.model) : undefined;
    const entry: UsageEntry = {
      userId: requester.userId,
      keyId: requester.keyId,
      chatId: requester.chatId,
      kind,
      replyId: undefined,
      model,
      provider: result.provider,
      promptTokens,
      completionTokens: 0,
      imageCount: 0,
      costUsd: toTokenCost(price, { promptTokens, completionTokens: 0 }),
      isEstimated: result.promptTokens === undefined,
      finishReason: 'stop',
      durationMs: Math.round(clock.now() - startedAt),
    };
    recordAndSettle(usage, reservation, entry, { tokens: promptTokens, images: 0 });
    return { ...result, promptTokens };
  } catch (error) {
    if (signal.aborted && error === signal.reason) recordLeft(usage, reservation, requester, { kind, model });
    throw error;
  } finally {
    reservation?.settle(NOTHING);
  }
}
