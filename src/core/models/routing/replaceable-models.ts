import type { Clock } from '../../../lib/clock.ts';
import type { Logger } from '../../../lib/log/logger.ts';
import type { Models } from '../create-models.ts';
import { watchSpeech, watchStream } from './watch-stream.ts';

/** Models that can be replaced while they are in use. */
export interface ReplaceableModels extends Models {
  /**
   * Replaces the models. `next` must not have been started. When this resolves, new requests go to `next`. Requests in
   * flight finish with the previous models, which are closed afterwards.
   * @throws the signal's reason; then nothing has changed.
   */
  replace(next: Models, signal: AbortSignal): Promise<void>;
}

/** Maximum time for requests in flight on replaced models; then they are aborted. No request takes longer by itself. */
const LONGEST_USE_MS = 15 * 60_000;

interface Generation {
  readonly models: Models;
  /** Requests in flight. */
  useCount: number;
  onUnused: () => void;
}

/** Creates replaceable models that forward to the current ones. */
export function createReplaceableModels(
  deps: { readonly clock: Clock; readonly logger: Logger },
  first: Models,
): ReplaceableModels {
  let current = toGeneration(first);
  const retired = new Set<Generation>();

  const leave = (generation: Generation) => {
    generation.useCount -= 1;
    if (generation.useCount === 0) generation.onUnused();
  };
  const useOnce = async <Result>(work: (models: Models) => Promise<Result>): Promise<Result> => {
    const generation = current;
    generation.useCount += 1;
    try {
      return await work(generation.models);
    } finally {
      leave(generation);
    }
  };
  /** `watch` returns the same stream and calls its argument at the end. */
  const openStream = async <Stream>(
    open: (models: Models) => Promise<Stream>,
    signal: AbortSignal,
    watch: (stream: Stream, onEnd: () => void) => Stream,
  ): Promise<Stream> => {
    const generation = current;
    generation.useCount += 1;
    let isLeft = false;
    const leaveOnce = () => {
      if (!isLeft) leave(generation);
      isLeft = true;
    };
    try {
      const stream = await open(generation.models);
      // An aborted stream may not be read to its end.
      signal.addEventListener('abort', leaveOnce, { once: true });
      return watch(stream, () => {
        signal.removeEventListener('abort', leaveOnce);
        leaveOnce();
      });
    } catch (error) {
      leaveOnce();
      throw error;
    }
  };

  const close = async (generation: Generation) => {
    if (!retired.delete(generation)) return;
    await generation.models.close().catch((error: unknown) => {
      deps.logger.warn({ err: error }, 'replaced models failed to close');
    });
  };
  const retire = (generation: Generation) => {
    retired.add(generation);
    const cancel = deps.clock.setTimer(LONGEST_USE_MS, () => void close(generation));
    generation.onUnused = () => {
      cancel();
      void close(generation);
    };
    if (generation.useCount === 0) generation.onUnused();
  };

  return {
    catalogue: {
      list: () => current.models.catalogue.list(),
      find: (id) => current.models.catalogue.find(id),
      findPrice: (target) => current.models.catalogue.findPrice(target),
      findPriceSource: (target) => current.models.catalogue.findPriceSource(target),
      findPrices: (id) => current.models.catalogue.findPrices(id),
      isFreeField: (id, field) => current.models.catalogue.isFreeField(id, field),
      defaultChatModel: () => current.models.catalogue.defaultChatModel(),
      defaultImageModel: () => current.models.catalogue.defaultImageModel(),
      libraryEmbeddingModel: () => current.models.catalogue.libraryEmbeddingModel(),
    },
    router: {
      chat: {
        complete: (request, signal) => useOnce((models) => models.router.chat.complete(request, signal)),
        stream: (request, signal) =>
          openStream((models) => models.router.chat.stream(request, signal), signal, watchStream),
      },
      completion: {
        complete: (request, signal) => useOnce((models) => models.router.completion.complete(request, signal)),
        stream: (request, signal) =>
          openStream((models) => models.router.completion.stream(request, signal), signal, watchStream),
      },
      image: {
        generate: (request, signal) => useOnce((models) => models.router.image.generate(request, signal)),
      },
      embedding: {
        embed: (request, signal) => useOnce((models) => models.router.embedding.embed(request, signal)),
      },
      moderation: {
        moderate: (request, signal) => useOnce((models) => models.router.moderation.moderate(request, signal)),
      },
      rerank: {
        rerank: (request, signal) => useOnce((models) => models.router.rerank.rerank(request, signal)),
      },
      speech: {
        speak: (request, signal) =>
          openStream((models) => models.router.speech.speak(request, signal), signal, watchSpeech),
      },
      transcription: {
        transcribe: (request, signal) => useOnce((models) => models.router.transcription.transcribe(request, signal)),
        stream: (request, signal) =>
          openStream((models) => models.router.transcription.stream(request, signal), signal, watchStream),
      },
    },
    transcription: {
      isAvailable: () => current.models.transcription.isAvailable(),
      listTargets: () => current.models.transcription.listTargets(),
      transcribe: (recording, signal) => useOnce((models) => models.transcription.transcribe(recording, signal)),
    },
    speech: {
      isAvailable: () => current.models.speech.isAvailable(),
      listTargets: () => current.models.speech.listTargets(),
      speak: (words, signal) => useOnce((models) => models.speech.speak(words, signal)),
    },
    start: (signal) => current.models.start(signal),
    providers: () => current.models.providers(),
    circuits: () => current.models.circuits(),
    async replace(next, signal) {
      try {
        await next.start(signal);
      } catch (error) {
        await next.close();
        throw error;
      }
      const previous = current;
      current = toGeneration(next);
      retire(previous);
    },
    async close() {
      for (const generation of retired) generation.onUnused();
      await current.models.close();
    },
  };
}

function toGeneration(models: Models): Generation {
  return { models, useCount: 0, onUnused: () => {} };
}
