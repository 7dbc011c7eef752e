import type { Clock } from '../../lib/clock.ts';
import { createId } from '../../lib/ids.ts';
import type { UsageRecorder } from '../accounts/index.ts';
import type { Limits } from '../limits/index.ts';
import { type Requester, reserveFor } from './requester.ts';

/** Dependencies for recording requests without tokens and images. */
export interface CountingDeps {
  readonly usage: Pick<UsageRecorder, 'record'>;
  readonly clock: Clock;
  /** Unset: no limits. */
  readonly limits?: Limits | undefined;
}

const NOTHING = { tokens: 0, images: 0 };

/**
 * Runs work that counts as one request, without tokens or images. Usage is recorded when it succeeds.
 * @throws LimitExceededError; errors of `work`.
 */
export async function countRequest<Result extends { readonly model: string; readonly provider: string }>(
  { usage, clock, limits }: CountingDeps,
  requester: Requester,
  { kind, idPrefix }: { readonly kind: 'speech' | 'transcription'; readonly idPrefix: string },
  work: () => Promise<Result>,
): Promise<Result> {
  const reservation = await reserveFor(limits, requester, { tokens: () => 0, moreTokens: 0, images: 0 });
  try {
    const startedAt = clock.now();
    const result = await work();
    usage.record({
      userId: requester.userId,
      keyId: requester.keyId,
      kind,
      replyId: createId(idPrefix),
      model: result.model,
      provider: result.provider,
      promptTokens: 0,
      completionTokens: 0,
      imageCount: 0,
      costUsd: undefined,
      isEstimated: true,
      finishReason: 'stop',
      durationMs: Math.round(clock.now() - startedAt),
    });
    return result;
  } finally {
    reservation?.settle(NOTHING);
  }
}
