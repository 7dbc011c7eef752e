import type { Clock } from '../../lib/clock.ts';
import { createId } from '../../lib/ids.ts';
import type { UsageRecorder } from '../accounts/index.ts';
import type { Limits } from '../limits/index.ts';
import { type AudioUse, type FindPrice, toAudioCost } from './cost.ts';
import { type Requester, reserveFor } from './requester.ts';

/** Dependencies for recording requests without tokens and images. */
export interface CountingDeps {
  readonly usage: Pick<UsageRecorder, 'record'>;
  readonly clock: Clock;
  /** Unset: no limits. */
  readonly limits?: Limits | undefined;
  /** Returns the price of a provider's model. Unset: costs are not recorded. */
  readonly findPrice?: FindPrice | undefined;
}

/** What a request counts as in the usage. */
export interface CountedAs {
  readonly kind: 'speech' | 'transcription';
  readonly idPrefix: string;
}

/** Reads texts aloud. */
export const AS_SPEECH: CountedAs = { kind: 'speech', idPrefix: 'tts-' };
/** Writes down recordings. */
export const AS_TRANSCRIPTION: CountedAs = { kind: 'transcription', idPrefix: 'stt-' };

/** A request in progress that counts as one, without tokens or images. */
export interface CountedRequest {
  /** Records the usage. Call it once at most. */
  record(answered: Answered): void;
  /** Releases the reservation. */
  settle(): void;
}

interface Answered {
  /** Name of the model in the usage: the public one, if the user requested one. */
  readonly model: string;
  readonly provider: string;
  /** The provider's name of the model. */
  readonly providerModel: string;
  readonly used: AudioUse;
  /** Undefined for an answer that broke off. Default `stop`. */
  readonly finishReason?: string | undefined;
}

const NOTHING = { tokens: 0, images: 0 };
const NO_TOKENS = { promptTokens: 0, completionTokens: 0 };

/** @throws LimitExceededError */
export async function beginCounting(
  { usage, clock, limits, findPrice }: CountingDeps,
  requester: Requester,
  { kind, idPrefix }: CountedAs,
): Promise<CountedRequest> {
  const reservation = await reserveFor(limits, requester, { tokens: () => 0, moreTokens: 0, images: 0 });
  const startedAt = clock.now();
  return {
    record({ model, provider, providerModel, used, ...answered }) {
      const { tokens = NO_TOKENS, audioSeconds, characters } = used;
      usage.record({
        userId: requester.userId,
        keyId: requester.keyId,
        chatId: requester.chatId,
        kind,
        replyId: createId(idPrefix),
        model,
        provider,
        ...tokens,
        audioSeconds,
        characters,
        imageCount: 0,
        costUsd: toAudioCost(findPrice?.(provider, providerModel), used),
        isEstimated: used.tokens === undefined,
        finishReason: 'finishReason' in answered ? answered.finishReason : 'stop',
        durationMs: Math.round(clock.now() - startedAt),
      });
    },
    settle: () => reservation?.settle(NOTHING),
  };
}

/**
 * Runs work that counts as one request. Usage is recorded when it succeeds.
 * @param toUse returns what the result has used.
 * @throws LimitExceededError; errors of `work`.
 */
export async function countRequest<Result extends { readonly model: string; readonly provider: string }>(
  deps: CountingDeps,
  requester: Requester,
  countedAs: CountedAs,
  work: () => Promise<Result>,
  toUse: (result: Result) => AudioUse,
): Promise<Result> {
  const counted = await beginCounting(deps, requester, countedAs);
  try {
    const result = await work();
    const { model, provider } = result;
    counted.record({ model, provider, providerModel: model, used: toUse(result) });
    return result;
  } finally {
    counted.settle();
  }
}
