import type { Clock } from '../../lib/clock.ts';
import { leaveOnAbort } from '../../lib/leave-on-abort.ts';
import type { Logger } from '../../lib/logger.ts';
import { noObserver, type Observer, type Work } from '../../lib/observer.ts';
import type { ModelTarget } from './catalogue.ts';
import type { ChatModel, ChatRequest, ChatStream } from './chat-model.ts';
import type { ModelRoute } from './create-catalogue.ts';
import type { ImageModel } from './image-model.ts';
import {
  AllProvidersFailedError,
  ModelNotFoundError,
  ProviderError,
  ProviderRejectedError,
  ProviderUnavailableError,
  WrongModelTypeError,
} from './model-errors.ts';
import type { Provider } from './provider.ts';
import type { TargetHealth } from './target-health.ts';
import { watchStream } from './watch-stream.ts';

export interface RouterDeps {
  readonly clock: Clock;
  readonly logger: Logger;
  /** From 0 to 1, 1 excluded. */
  readonly random: () => number;
  readonly health: TargetHealth;
  /** Where requests of a type for a public name go; undefined where nobody knows the name. */
  readonly resolve: (model: string, type: 'chat' | 'image') => ModelRoute | undefined;
  readonly findProvider: (name: string) => Provider | undefined;
  /** Sees each `provider attempt`, that of a stream until the stream's end. Default nobody. */
  readonly observer?: Observer | undefined;
}

export interface RouterOptions {
  /** No other provider is asked once this time has passed since the request came. Default 120 s. */
  readonly failoverMs?: number | undefined;
}

const DEFAULT_FAILOVER_MS = 120_000;
const MAX_ATTEMPTS = 8;

/** All models of a kind behind one: takes public names. */
export interface Router {
  readonly chat: ChatModel;
  readonly image: ImageModel;
}

/**
 * Finds a provider for every request. Among equals the first is drawn by weight; another is asked only while nothing
 * has been delivered; those that rest come last. In answers `model` stays what the provider said.
 * @throws ModelNotFoundError, WrongModelTypeError, ProviderRejectedError, AllProvidersFailedError; the signal's reason within the tick.
 */
export function createRouter(deps: RouterDeps, options: RouterOptions = {}): Router {
  const { health, observer = noObserver } = deps;
  const failoverMs = options.failoverMs ?? DEFAULT_FAILOVER_MS;

  const route = async <Type extends 'chat' | 'image', Answer>(
    type: Type,
    model: string,
    signal: AbortSignal,
    ask: (asked: NonNullable<Provider[Type]>, target: ModelTarget, work: Work) => Promise<Answer>,
  ): Promise<Answer> => {
    signal.throwIfAborted();
    const found = deps.resolve(model, type);
    if (!found) throw new ModelNotFoundError(model);
    if (found.type !== type) throw new WrongModelTypeError(model, found.type);
    const giveUpAt = deps.clock.now() + failoverMs;
    const failures: ProviderError[] = [];
    for (const target of inOrder(found.tiers, deps)) {
      if (failures.length >= MAX_ATTEMPTS || (failures.length > 0 && deps.clock.now() >= giveUpAt)) break;
      const asked = deps.findProvider(target.provider)?.[type];
      if (!asked) continue;
      const { provider } = target;
      const after = failures.at(-1)?.provider;
      const work = observer.begin('provider attempt', { kind: type, provider, model: target.model, after });
      try {
        return await leaveOnAbort(
          work.run(() => ask(asked, target, work)),
          signal,
        );
      } catch (error) {
        work.end(signal.aborted ? signal.reason : error);
        if (signal.aborted) throw signal.reason;
        if (!(error instanceof ProviderError) || error instanceof ProviderRejectedError) throw error;
        health.noteFailure(target, error);
        failures.push(error);
        deps.logger.warn({ model, provider, target: target.model, reason: error.message }, 'a provider failed');
      }
    }
    const isUnknown = failures.every(
      (failure) => failure instanceof ProviderUnavailableError && failure.status === 404,
    );
    throw isUnknown ? new ModelNotFoundError(model) : new AllProvidersFailedError(model, failures);
  };

  return {
    chat: {
      complete: (request, signal) =>
        route('chat', request.model, signal, async (chat, target, work) => {
          const completion = await chat.complete(toTarget(request, target), signal);
          health.noteSuccess(target);
          work.end();
          return completion;
        }),
      stream: (request, signal) =>
        route('chat', request.model, signal, async (chat, target, work) =>
          watch(await chat.stream(toTarget(request, target), signal), { target, health, work, signal }),
        ),
    },
    image: {
      generate: (request, signal) =>
        route('image', request.model, signal, async (image, target, work) => {
          const result = await image.generate({ ...request, model: target.model }, signal);
          health.noteSuccess(target);
          work.end();
          return result;
        }),
    },
  };
}

/** The request under the provider's own name of the model. */
function toTarget(request: ChatRequest, target: ModelTarget): ChatRequest {
  return request.model === target.model ? request : { ...request, model: target.model };
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

interface Attempt {
  readonly target: ModelTarget;
  readonly health: TargetHealth;
  readonly work: Work;
  readonly signal: AbortSignal;
}

/** The same stream; how it ends is noted. */
function watch(stream: ChatStream, { target, health, work, signal }: Attempt): ChatStream {
  return watchStream(stream, (error, isLeft) => {
    if (error instanceof ProviderError) health.noteFailure(target, error);
    else if (error === undefined && !isLeft) health.noteSuccess(target);
    // Whoever leaves early without a reason has what he wanted.
    work.end(error ?? (signal.aborted ? signal.reason : undefined));
  });
}
