import type { Clock } from '../../lib/clock.ts';
import { createId } from '../../lib/ids.ts';
import type { UsageRecorder } from '../accounts/index.ts';
import type { Limits } from '../limits/index.ts';
import { type Caller, reserveFor } from './caller.ts';

/** Where requests without tokens and pictures are counted. */
export interface CountingDeps {
  readonly usage: Pick<UsageRecorder, 'record'>;
  readonly clock: Clock;
  /** Unset: nothing is limited. */
  readonly limits?: Limits | undefined;
}

const NOTHING = { tokens: 0, pictures: 0 };

/**
 * Work of a provider that counts as a request and nothing else. It is in the books when it has come to its end.
 * @param name what the books call it: its kind, and the beginning of its id.
 * @throws LimitExceededError; what the work throws.
 */
export async function countRequest<Result extends { readonly model: string; readonly provider: string }>(
  { usage, clock, limits }: CountingDeps,
  caller: Caller,
  { kind, idPrefix }: { readonly kind: 'speech' | 'transcription'; readonly idPrefix: string },
  work: () => Promise<Result>,
): Promise<Result> {
  const reservation = await reserveFor(limits, caller, { tokens: () => 0, moreTokens: 0, pictures: 0 });
  try {
    const startedAt = clock.now();
    const result = await work();
    usage.record({
      userId: caller.userId,
      keyId: caller.keyId,
      kind,
      replyId: createId(idPrefix),
      model: result.model,
      provider: result.provider,
      promptTokens: 0,
      completionTokens: 0,
      pictureCount: 0,
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
