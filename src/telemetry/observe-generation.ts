import type { UsageRecorder } from '../core/accounts/index.ts';
import type { ChatGeneration, ImageGeneration, Requester } from '../core/generation/index.ts';
import { watchStream } from '../core/models/index.ts';
import type { Clock } from '../lib/clock.ts';
import { noObserver, type Observer, observe } from '../lib/log/observer.ts';

interface Deps {
  readonly observer: Observer;
  readonly clock: Clock;
}

/** Wraps chat generation so that each answer is a `generation` span, for streams until their end. */
export function observeChatGeneration(generation: ChatGeneration, { observer, clock }: Deps): ChatGeneration {
  // Avoids wrapping every chunk for nothing.
  if (observer === noObserver) return generation;
  return {
    ...generation,
    complete: (requester, request, signal) =>
      observe(observer, 'generation', { kind: 'chat', model: request.model }, async (span) => {
        const completion = await generation.complete(requester, request, signal);
        span.record({ provider: completion.outcome.provider });
        return completion;
      }),
    async stream(requester, request, signal) {
      const startedAt = clock.now();
      const span = observer.begin('generation', { kind: 'chat', model: request.model });
      try {
        const stream = await span.run(() => generation.stream(requester, request, signal));
        span.record({ provider: stream.outcome.provider, firstChunkSeconds: (clock.now() - startedAt) / 1000 });
        return watchStream(stream, (error) => span.end(error ?? (signal.aborted ? signal.reason : undefined)));
      } catch (error) {
        span.end(error);
        throw error;
      }
    },
  };
}

/** Wraps image generation so that each request is a `generation` span. */
export function observeImageGeneration(images: ImageGeneration, { observer }: Deps): ImageGeneration {
  return {
    ...images,
    generate: (requester, order, signal, onWaiting, onStart) =>
      observe(observer, 'generation', { kind: 'image', model: order.model }, async (span) => {
        const made = await images.generate(requester, order, signal, onWaiting, onStart);
        span.record({ provider: made.provider });
        return made;
      }),
  };
}

/** Wraps a generation that is answered at once so that each request is a `generation` span. */
export function observeRequests<
  Request extends { readonly model: string },
  Answer extends { readonly provider: string },
>(
  kind: string,
  generate: (requester: Requester, request: Request, signal: AbortSignal) => Promise<Answer>,
  { observer }: Pick<Deps, 'observer'>,
): typeof generate {
  return (requester, request, signal) =>
    observe(observer, 'generation', { kind, model: request.model }, async (span) => {
      const answer = await generate(requester, request, signal);
      span.record({ provider: answer.provider });
      return answer;
    });
}

/** Wraps the usage recorder so that each entry is reported as a `usage entry` event. */
export function observeUsage(usage: UsageRecorder, { observer }: Deps): UsageRecorder {
  return {
    flush: () => usage.flush(),
    waitingCount: () => usage.waitingCount(),
    close: () => usage.close(),
    record(entry, write) {
      const { replyId: _reply, userId: _user, keyId: _key, chatId: _chat, ...attributes } = entry;
      observer.emit('usage entry', attributes);
      usage.record(entry, write);
    },
  };
}
