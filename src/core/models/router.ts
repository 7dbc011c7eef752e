import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/logger.ts';
import type { ModelTarget } from './catalogue.ts';
import type { ChatModel, ChatRequest, ChatStream } from './chat-model.ts';
import {
  AllProvidersFailedError,
  ModelNotFoundError,
  ProviderError,
  ProviderRejectedError,
  ProviderUnavailableError,
} from './model-errors.ts';
import type { Provider } from './provider.ts';
import type { TargetHealth } from './target-health.ts';

export interface RouterDeps {
  readonly clock: Clock;
  readonly logger: Logger;
  /** From 0 to 1, 1 excluded. */
  readonly random: () => number;
  readonly health: TargetHealth;
  /** Where requests for a public name go, in tiers of preference; undefined where nobody knows the name. */
  readonly resolve: (model: string) => readonly (readonly ModelTarget[])[] | undefined;
  readonly findProvider: (name: string) => Provider | undefined;
}

export interface RouterOptions {
  /** No other provider is asked once this time has passed since the request came. Default 120 s. */
  readonly failoverMs?: number | undefined;
}

const DEFAULT_FAILOVER_MS = 120_000;
const MAX_ATTEMPTS = 8;

/**
 * Finds a provider for every request. Among equals the first is drawn by weight; another is asked only while nothing
 * has been delivered; those that rest come last. In answers `model` stays what the provider said.
 * @throws ModelNotFoundError, ProviderRejectedError, AllProvidersFailedError; the signal's reason within the tick.
 */
export function createRouter(deps: RouterDeps, options: RouterOptions = {}): ChatModel {
  const { health } = deps;
  const failoverMs = options.failoverMs ?? DEFAULT_FAILOVER_MS;

  const route = async <Answer>(
    request: ChatRequest,
    signal: AbortSignal,
    ask: (chat: ChatModel, request: ChatRequest, target: ModelTarget) => Promise<Answer>,
  ): Promise<Answer> => {
    signal.throwIfAborted();
    const { model } = request.body;
    const tiers = deps.resolve(model);
    if (!tiers) throw new ModelNotFoundError(model);
    const giveUpAt = deps.clock.now() + failoverMs;
    const failures: ProviderError[] = [];
    for (const target of inOrder(tiers, deps)) {
      if (failures.length >= MAX_ATTEMPTS || (failures.length > 0 && deps.clock.now() >= giveUpAt)) break;
      const provider = deps.findProvider(target.provider);
      if (!provider) continue;
      try {
        const targeted = { ...request, body: { ...request.body, model: target.model } };
        return await leaveOnAbort(ask(provider.chat, targeted, target), signal);
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        if (!(error instanceof ProviderError) || error instanceof ProviderRejectedError) throw error;
        health.noteFailure(target, error);
        failures.push(error);
        deps.logger.warn(
          { model, provider: target.provider, target: target.model, reason: error.message },
          'a provider failed',
        );
      }
    }
    const isUnknown = failures.every(
      (failure) => failure instanceof ProviderUnavailableError && failure.status === 404,
    );
    throw isUnknown ? new ModelNotFoundError(model) : new AllProvidersFailedError(model, failures);
  };

  return {
    complete: (request, signal) =>
      route(request, signal, async (chat, targeted, target) => {
        const completion = await chat.complete(targeted, signal);
        health.noteSuccess(target);
        return completion;
      }),
    stream: (request, signal) =>
      route(request, signal, async (chat, targeted, target) =>
        watch(await chat.stream(targeted, signal), target, health),
      ),
  };
}

/** The targets that may be asked, tier by tier, then those that rest: they are better than nothing. */
function* inOrder(tiers: readonly (readonly ModelTarget[])[], deps: RouterDeps): Generator<ModelTarget> {
  const resting: ModelTarget[] = [];
  for (const tier of tiers) {
    for (const target of drawFirst(tier, deps)) {
      if (deps.health.mayAsk(target)) yield target;
      else resting.push(target);
    }
  }
  yield* resting;
}

/** Draws the first target by weight; the others follow in their order. */
function drawFirst(targets: readonly ModelTarget[], { findProvider, random }: RouterDeps): readonly ModelTarget[] {
  if (targets.length < 2) return targets;
  const weights = targets.map(({ provider }) => Math.max(0, findProvider(provider)?.weight ?? 0));
  let drawn = random() * weights.reduce((sum, weight) => sum + weight, 0);
  const index = weights.findIndex((weight) => {
    drawn -= weight;
    return drawn < 0;
  });
  const first = targets[index];
  return first ? [first, ...targets.filter((target) => target !== first)] : targets;
}

/** Rejects in the moment of the abort, whatever the promise does. */
function leaveOnAbort<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
    if (signal.aborted) onAbort();
  });
}

/** The same stream; how it ends is noted. */
function watch(stream: ChatStream, target: ModelTarget, health: TargetHealth): ChatStream {
  return {
    get outcome() {
      return stream.outcome;
    },
    [Symbol.asyncIterator]() {
      const iterator = stream[Symbol.asyncIterator]();
      const next = () =>
        iterator.next().then(
          (result) => {
            if (result.done) health.noteSuccess(target);
            return result;
          },
          (error: unknown) => {
            if (error instanceof ProviderError) health.noteFailure(target, error);
            throw error;
          },
        );
      const leave = async (): Promise<IteratorResult<Buffer>> =>
        (await iterator.return?.()) ?? { done: true, value: undefined };
      return { next, return: leave };
    },
  };
}
