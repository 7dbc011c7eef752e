import { createId } from '../../lib/ids.ts';
import type { UsageEntry } from '../accounts/index.ts';
import type { ExpectedCost } from '../limits/index.ts';
import type { ModelPrice, ModelTarget, UnknownFields } from '../models/index.ts';
import { type AudioUse, toAudioCost } from './cost.ts';
import type { Requester } from './requester.ts';
import {
  findPaidFieldOf,
  type MeteringDeps,
  recordAndSettle,
  recordLeft,
  reserveFor,
  toSpending,
} from './reserve-and-settle.ts';

/** Kind of a request in the usage. */
export interface CountedAs {
  readonly kind: 'speech' | 'transcription';
  readonly idPrefix: string;
}

/** Limits of one request. */
export interface BoundedUse {
  /** Public name of the model. */
  readonly model: string;
  /** Returns the bounds of the cost at these prices; undefined if a price is not known. */
  readonly bound: (prices: readonly ModelPrice[] | undefined) => ExpectedCost | undefined;
  /** Extra fields of the client. Default none. */
  readonly extraFields?: UnknownFields | undefined;
  /** Targets of the request. Default: those of `model`. */
  readonly targets?: readonly ModelTarget[] | undefined;
}

/** Reads texts aloud. */
export const AS_SPEECH: CountedAs = { kind: 'speech', idPrefix: 'tts-' };
/** Writes down recordings. */
export const AS_TRANSCRIPTION: CountedAs = { kind: 'transcription', idPrefix: 'stt-' };

/** A request in progress that counts as one, without tokens or images. */
export type CountedRequest = Awaited<ReturnType<typeof beginCounting>>;

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
  deps: MeteringDeps,
  requester: Requester,
  { kind, idPrefix }: CountedAs,
  { model: asked, bound, extraFields, targets }: BoundedUse,
) {
  const { usage, clock, limits, findPrice, findPrices } = deps;
  const paidField = findPaidFieldOf(deps, { model: asked, extraFields });
  const cost = () => {
    if (!targets) return bound(findPrices?.(asked));
    const prices = targets.flatMap((target) => findPrice?.(target.provider, target.model) ?? []);
    return prices.length === targets.length ? bound(prices) : undefined;
  };
  const spending = toSpending(requester, { kind, model: asked, cost, findPaidField: () => paidField });
  const expected = { tokens: () => 0, moreTokens: 0, images: 0, spending };
  const reservation = await reserveFor(limits, requester, expected);
  const startedAt = clock.now();
  return {
    /** Records the usage. Call it once at most. */
    record({ model, provider, providerModel, used, ...answered }: Answered): void {
      const { tokens = NO_TOKENS, audioSeconds, characters } = used;
      const entry: UsageEntry = {
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
        costUsd: toAudioCost(paidField === undefined ? findPrice?.(provider, providerModel) : undefined, used),
        isEstimated: used.tokens === undefined,
        finishReason: 'finishReason' in answered ? answered.finishReason : 'stop',
        durationMs: Math.round(clock.now() - startedAt),
      };
      recordAndSettle(usage, reservation, entry, NOTHING);
    },
    /** Records a request whose client has left before the answer. */
    recordLeft: (): void => recordLeft(usage, reservation, requester, { kind, model: asked }),
    /** Releases the reservation. */
    settle: (): void => reservation?.settle(NOTHING),
  };
}

/**
 * Runs work that counts as one request. Usage is recorded when it succeeds.
 * @param toUse returns what the result has used.
 * @throws LimitExceededError; errors of `work`.
 */
export async function countRequest<Result extends { readonly model: string; readonly provider: string }>(
  deps: MeteringDeps,
  requester: Requester,
  { signal, ...countedAs }: CountedAs & BoundedUse & { readonly signal: AbortSignal },
  work: () => Promise<Result>,
  toUse: (result: Result) => AudioUse,
): Promise<Result> {
  const counted = await beginCounting(deps, requester, countedAs, countedAs);
  try {
    const result = await work();
    const { model, provider } = result;
    counted.record({ model, provider, providerModel: model, used: toUse(result) });
    return result;
  } catch (error) {
    if (signal.aborted && error === signal.reason) counted.recordLeft();
    throw error;
  } finally {
    counted.settle();
  }
}

/** Returns the use of a request whose model the service chooses. */
export function toBotUse(targets: readonly ModelTarget[], bound: BoundedUse['bound']): BoundedUse {
  const [first] = targets;
  return { model: first ? `${first.provider}/${first.model}` : '', bound, targets };
}
