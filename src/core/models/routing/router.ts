import { leaveOnAbort } from '../../../lib/async/leave-on-abort.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { Logger } from '../../../lib/log/logger.ts';
import { noObserver, type Observer, type Span } from '../../../lib/log/observer.ts';
import type { ModelTarget } from '../catalogue/catalogue.ts';
import type { ModelRoute } from '../catalogue/create-catalogue.ts';
import type { ChatModel } from '../contract/chat-model.ts';
import type { Dialect, NativeRequest } from '../contract/chat-request.ts';
import type { EmbeddingModel } from '../contract/embedding-model.ts';
import type { ImageModel } from '../contract/image-model.ts';
import {
  AllProvidersFailedError,
  ModelNotFoundError,
  ProviderError,
  ProviderRejectedError,
  ProviderUnavailableError,
  WrongModelTypeError,
} from '../contract/model-errors.ts';
import type { ModerationModel } from '../contract/moderation-model.ts';
import type { ModelType, Provider } from '../contract/provider.ts';
import type { RerankModel } from '../contract/rerank-model.ts';
import type { SpeechModel } from '../contract/speech-model.ts';
import type { TextCompletionModel } from '../contract/text-completion-model.ts';
import type { TranscriptionModel } from '../contract/transcription-model.ts';
import {
  type AnswerFacts,
  type RequestSettings,
  toAnswerAttributes,
  toRequestAttributes,
} from './attempt-attributes.ts';
import type { TargetHealth } from './target-health.ts';
import { inOrder } from './target-order.ts';
import { watchSpeech, watchStream } from './watch-stream.ts';

export interface RouterDeps {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Returns a number from 0 to 1, 1 excluded. */
  readonly random: () => number;
  readonly health: TargetHealth;
  /** Returns the targets of a public name for requests of a type, or undefined for an unknown name. */
  readonly resolve: (model: string, type: ModelType) => ModelRoute | undefined;
  readonly findProvider: (name: string) => Provider | undefined;
  /** Observes each `provider attempt`; that of a stream ends with the stream. Default none. */
  readonly observer?: Observer | undefined;
}

export interface RouterOptions {
  /** No further provider is tried after this time since the request. Default 120 s. */
  readonly failoverMs?: number | undefined;
}

const DEFAULT_FAILOVER_MS = 120_000;
const MAX_ATTEMPTS = 8;

/** Models that accept public names and forward to providers. */
export interface Router {
  readonly chat: ChatModel;
  readonly completion: TextCompletionModel;
  readonly image: ImageModel;
  readonly embedding: EmbeddingModel;
  readonly moderation: ModerationModel;
  readonly rerank: RerankModel;
  readonly speech: SpeechModel;
  readonly transcription: TranscriptionModel;
}

/**
 * Routes requests to providers. The first target of a tier is chosen at random by weight, among those that forward the
 * client's dialect if there are any. Another target is tried only
 * while nothing has been delivered; resting targets are tried last. `model` in responses is the provider's value.
 * @throws ModelNotFoundError, WrongModelTypeError, ProviderRejectedError, AllProvidersFailedError; the signal's reason,
 * immediately on abort.
 */
export function createRouter(deps: RouterDeps, options: RouterOptions = {}): Router {
  const { observer = noObserver } = deps;
  const failoverMs = options.failoverMs ?? DEFAULT_FAILOVER_MS;

  const route = async <Use extends keyof Router, Answer>(
    use: Use,
    request: RoutedRequest,
    signal: AbortSignal,
    ask: (candidate: NonNullable<Provider[Use]>, target: ModelTarget, span: Span) => Promise<Answer>,
    operation?: 'count_tokens',
  ): Promise<Answer> => {
    const { model, native } = request;
    signal.throwIfAborted();
    const type = TYPES[use];
    const health = toHealthOf(use, deps.health);
    const found = deps.resolve(model, type);
    if (!found) throw new ModelNotFoundError(model);
    if (found.type !== type) throw new WrongModelTypeError(model, found.type, type);
    const giveUpAt = deps.clock.now() + failoverMs;
    const failures: ProviderError[] = [];
    let refusal: ProviderRejectedError | undefined;
    const isNative = ({ provider }: ModelTarget) => speaks(deps.findProvider(provider)?.[use], native?.dialect);
    for (const target of inOrder(found.tiers, { ...deps, health, isNative })) {
      if (failures.length >= MAX_ATTEMPTS || (failures.length > 0 && deps.clock.now() >= giveUpAt)) break;
      const candidate = deps.findProvider(target.provider)?.[use];
      if (!candidate) continue;
      const { provider } = target;
      if (native?.untranslatable && !isNative(target)) {
        refusal = native.untranslatable;
        continue;
      }
      const after = failures.at(-1)?.provider;
      const attributes = { kind: use, operation, provider, model: target.model, after };
      const span = observer.begin('provider attempt', { ...attributes, ...toRequestAttributes(request) });
      try {
        return await leaveOnAbort(
          span.run(() => ask(candidate, target, span)),
          signal,
        );
      } catch (error) {
        span.end(signal.aborted ? signal.reason : error);
        if (signal.aborted) throw signal.reason;
        if (!(error instanceof ProviderError) || error instanceof ProviderRejectedError) throw error;
        health.recordFailure(target, error);
        failures.push(error);
        deps.logger.warn({ model, provider, target: target.model, reason: error.message }, 'a provider failed');
      }
    }
    if (refusal && failures.length === 0) throw refusal;
    const isUnknown = failures.every(
      (failure) => failure instanceof ProviderUnavailableError && failure.status === 404,
    );
    throw isUnknown
      ? new ModelNotFoundError(model, use === 'completion' ? 'text completions' : undefined)
      : new AllProvidersFailedError(model, failures);
  };

  /** Sends a request whose answer comes at once. */
  const ask = <Use extends keyof Router, Request extends RoutedRequest, Answer extends AnswerFacts>(
    use: Use,
    request: Request,
    signal: AbortSignal,
    send: (candidate: NonNullable<Provider[Use]>, request: Request) => Promise<Answer>,
  ) =>
    route(use, request, signal, async (candidate, target, span) => {
      const answer = await send(candidate, toTarget(request, target));
      toHealthOf(use, deps.health).recordSuccess(target);
      span.record(toAnswerAttributes(answer));
      span.end();
      return answer;
    });

  /** Sends a request whose answer is a stream. `watch` returns the same stream and reports its end. */
  const open = <Use extends keyof Router, Request extends RoutedRequest, Stream extends AnswerFacts>(
    use: Use,
    request: Request,
    signal: AbortSignal,
    send: (candidate: NonNullable<Provider[Use]>, request: Request) => Promise<Stream>,
    watch: (stream: Stream, onEnd: (error: unknown, isLeft: boolean) => void) => Stream,
  ) =>
    route(use, request, signal, async (candidate, target, span) => {
      const attempt = { target, health: toHealthOf(use, deps.health), span, signal };
      const startedAt = deps.clock.now();
      span.record({ isStreamed: true });
      const stream = await send(candidate, toTarget(request, target));
      span.record({ firstChunkSeconds: (deps.clock.now() - startedAt) / 1000 });
      return watch(stream, onEndOf({ ...attempt, stream }));
    });

  return {
    chat: {
      complete: (request, signal) => ask('chat', request, signal, (chat, sent) => chat.complete(sent, signal)),
      stream: (request, signal) =>
        open('chat', request, signal, (chat, sent) => chat.stream(sent, signal), watchStream),
      countPromptTokens: (request, signal) =>
        route(
          'chat',
          request,
          signal,
          async (chat, target, span) => {
            const count = await chat.countPromptTokens?.(toTarget(request, target), signal);
            deps.health.recordSuccess(target);
            span.end();
            return count;
          },
          'count_tokens',
        ),
    },
    completion: {
      complete: (request, signal) =>
        ask('completion', request, signal, (completion, sent) => completion.complete(sent, signal)),
      stream: (request, signal) =>
        open('completion', request, signal, (completion, sent) => completion.stream(sent, signal), watchStream),
    },
    image: {
      generate: (request, signal) => ask('image', request, signal, (image, sent) => image.generate(sent, signal)),
    },
    embedding: {
      embed: (request, signal) => ask('embedding', request, signal, (embedding, sent) => embedding.embed(sent, signal)),
    },
    moderation: {
      moderate: (request, signal) =>
        ask('moderation', request, signal, (moderation, sent) => moderation.moderate(sent, signal)),
    },
    rerank: {
      rerank: (request, signal) => ask('rerank', request, signal, (rerank, sent) => rerank.rerank(sent, signal)),
    },
    speech: {
      speak: (request, signal) =>
        open('speech', request, signal, (speech, sent) => speech.speak(sent, signal), watchSpeech),
    },
    transcription: {
      transcribe: (request, signal) =>
        ask('transcription', request, signal, (transcription, sent) => transcription.transcribe(sent, signal)),
      stream: (request, signal) =>
        open(
          'transcription',
          request,
          signal,
          (transcription, sent) => transcription.stream(sent, signal),
          watchStream,
        ),
    },
  };
}

/** Types of the models that serve each use. */
const TYPES: Readonly<Record<keyof Router, ModelType>> = {
  chat: 'chat',
  completion: 'chat',
  image: 'image',
  embedding: 'embedding',
  moderation: 'moderation',
  rerank: 'rerank',
  speech: 'speech',
  transcription: 'transcription',
};

/** Returns the circuits of one use: a host without text completions may still chat with the same model. */
function toHealthOf(use: keyof Router, health: TargetHealth): TargetHealth {
  if (use === 'chat') return health;
  const toCircuit = (target: ModelTarget) => ({ ...target, model: `${target.model} (${use})` });
  return {
    mayAsk: (target) => health.mayAsk(toCircuit(target)),
    recordSuccess: (target) => health.recordSuccess(toCircuit(target)),
    recordFailure: (target, error) => health.recordFailure(toCircuit(target), error),
  };
}

interface RoutedRequest extends RequestSettings {
  readonly model: string;
  readonly native?: NativeRequest | undefined;
}

function speaks(candidate: object | undefined, dialect: Dialect | undefined): boolean {
  return Boolean(
    candidate && 'dialects' in candidate && Array.isArray(candidate.dialects) && candidate.dialects.includes(dialect),
  );
}

/** Returns the request under the provider's own name of the model. */
function toTarget<Request extends { readonly model: string }>(request: Request, target: ModelTarget): Request {
  return request.model === target.model ? request : { ...request, model: target.model };
}

interface Attempt {
  readonly target: ModelTarget;
  readonly health: TargetHealth;
  readonly span: Span;
  readonly signal: AbortSignal;
  readonly stream: AnswerFacts;
}

/** Returns a function that reports how a stream ends. */
function onEndOf({ target, health, span, signal, stream }: Attempt): (error: unknown, isLeft: boolean) => void {
  return (error, isLeft) => {
    if (error instanceof ProviderError) health.recordFailure(target, error);
    else if (error === undefined && !isLeft) health.recordSuccess(target);
    span.record(toAnswerAttributes(stream));
    // Stopping early without an abort is not an error.
    span.end(error ?? (signal.aborted ? signal.reason : undefined));
  };
}
