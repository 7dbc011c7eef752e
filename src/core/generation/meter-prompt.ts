import type { Clock } from '../../lib/clock.ts';
import type { UsageEntry, UsageRecorder } from '../accounts/index.ts';
import type { Limits } from '../limits/index.ts';
import { type FindPrice, toTokenCost } from './cost.ts';
import { type FindPrices, findDearest, toFixedCost, toInputRate } from './cost-bounds.ts';
import type { Requester } from './requester.ts';
import { recordAndSettle, reserveFor, toSpending } from './reserve-and-settle.ts';

export interface MeteringDeps {
  readonly usage: Pick<UsageRecorder, 'record'>;
  readonly clock: Clock;
  /** Unset: no limits. */
  readonly limits?: Limits | undefined;
  /** Returns the price of a provider's model. Unset: costs are not recorded. */
  readonly findPrice?: FindPrice | undefined;
  /** Returns the prices of a public model name. Unset: no model has a price for budgets. */
  readonly findPrices?: FindPrices | undefined;
}

export interface PromptUse {
  readonly kind: 'embedding' | 'moderation';
  /** Public name of the model. */
  readonly model: string;
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
  { usage, clock, limits, findPrice, findPrices }: MeteringDeps,
  requester: Requester,
  { kind, model, estimateTokens, boundTokens }: PromptUse,
  work: () => Promise<Result>,
): Promise<Result & { readonly promptTokens: number }> {
  const cost = () => {
    const tokens = boundTokens();
    const usd = findDearest(findPrices?.(model), (price) => {
      const rate = toInputRate(price, tokens, true);
      return rate === undefined ? undefined : (rate * tokens) / 1_000_000 + (price.request ?? 0);
    });
    return toFixedCost(usd);
  };
  const spending = toSpending(requester, { kind, model, cost });
  const expected = { tokens: estimateTokens, moreTokens: 0, images: 0, spending };
  const reservation = await reserveFor(limits, requester, expected);
  try {
    const startedAt = clock.now();
    const result = await work();
    const promptTokens = result.promptTokens ?? estimateTokens();
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
      costUsd: toTokenCost(findPrice?.(result.provider, result.model), { promptTokens, completionTokens: 0 }),
      isEstimated: result.promptTokens === undefined,
      finishReason: 'stop',
      durationMs: Math.round(clock.now() - startedAt),
    };
    recordAndSettle(usage, reservation, entry, { tokens: promptTokens, images: 0 });
    return { ...result, promptTokens };
  } finally {
    reservation?.settle(NOTHING);
  }
}
