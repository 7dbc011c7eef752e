import { createId } from '../../../lib/ids.ts';
import type { ExpectedCost } from '../../limits/index.ts';
import type { ModelPrice, ModelTarget, UnknownFields } from '../../models/index.ts';
import type { Requester } from '../requester.ts';
import { type AudioUse, toAudioCost } from './cost.ts';
import { findPriceOf, type MeteringDeps, reserveRequest } from './reserve-and-settle.ts';

/** Kind of a request in the usage ledger. */
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

/** Texts that are read aloud. */
export const AS_SPEECH: CountedAs = { kind: 'speech', idPrefix: 'tts-' };
/** Recordings that are written down. */
export const AS_TRANSCRIPTION: CountedAs = { kind: 'transcription', idPrefix: 'stt-' };

interface Answer {
  /** Name of the model in the usage: the public one, if the user requested one. */
  readonly model: string;
  readonly provider: string;
  /** The provider's name of the model. */
  readonly providerModel: string;
  readonly used: AudioUse;
  /** Undefined for an answer that broke off. */
  readonly finishReason: string | undefined;
}

const NO_TOKENS = { promptTokens: 0, completionTokens: 0 };

/**
 * Reserves a request that counts as one, without tokens or images.
 * @throws LimitExceededError
 */
export async function reserveCounted(
  deps: MeteringDeps,
  requester: Requester,
  { kind, idPrefix }: CountedAs,
  { model: asked, bound, extraFields, targets }: BoundedUse,
) {
  const cost = () => {
    if (!targets) return bound(deps.findPrices?.(asked));
    const prices = targets.flatMap((target) => deps.findPrice?.(target.provider, target.model) ?? []);
    return prices.length === targets.length ? bound(prices) : undefined;
  };
  const request = { model: asked, extraFields };
  const metered = await reserveRequest(deps, requester, {
    kind,
    request,
    cost,
    tokens: () => 0,
    moreTokens: 0,
    images: 0,
  });
  return {
    ...metered,
    /** Records the usage. Call it once at most. */
    record({ model, provider, providerModel, used, finishReason }: Answer): void {
      const { tokens = NO_TOKENS, audioSeconds, characters } = used;
      metered.record({
        ...tokens,
        replyId: createId(idPrefix),
        model,
        provider,
        audioSeconds,
        characters,
        imageCount: 0,
        costUsd: toAudioCost(findPriceOf(deps, request, { provider, model: providerModel }), used),
        isEstimated: used.tokens === undefined,
        finishReason,
      });
    },
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
  { signal, ...use }: CountedAs & BoundedUse & { readonly signal: AbortSignal },
  work: () => Promise<Result>,
  toUse: (result: Result) => AudioUse,
): Promise<Result> {
  const counted = await reserveCounted(deps, requester, use, use);
  return counted.run(signal, async () => {
    const result = await work();
    const { model: providerModel, provider } = result;
    const model = use.targets ? providerModel : use.model;
    counted.record({ model, provider, providerModel, used: toUse(result), finishReason: 'stop' });
    return result;
  });
}

/** Returns the use of a request whose model the service chooses. */
export function toBotUse(targets: readonly ModelTarget[], bound: BoundedUse['bound']): BoundedUse {
  const [first] = targets;
  return { model: first ? `${first.provider}/${first.model}` : '', bound, targets };
}
