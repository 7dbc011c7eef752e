import { type IterationWatcher, watchIteration } from '../../../lib/async/watch-iteration.ts';
import type { ChatEvent, ChatStream } from '../contract/chat-answer.ts';
import type { ChatOutcome } from '../contract/chat-outcome.ts';
import type { SpeechStream } from '../contract/speech-model.ts';

type OnEnd = IterationWatcher<ChatEvent>['onEnd'];

/**
 * Returns the same stream and reports how it ends. Several watchers share one wrapper, so each event passes one
 * iterator only.
 * @param readOutcome returns the outcome of the watched stream. Default: that of the stream.
 */
export function watchStream(
  stream: ChatStream,
  onEnd: OnEnd,
  readOutcome: () => ChatOutcome = () => stream.outcome,
): ChatStream {
  return stream instanceof WatchedStream
    ? new WatchedStream(stream.source, [...stream.watchers, onEnd], readOutcome)
    : new WatchedStream(stream, [onEnd], readOutcome);
}

class WatchedStream implements ChatStream {
  readonly source: ChatStream;
  readonly watchers: readonly OnEnd[];
  readonly #readOutcome: () => ChatOutcome;

  constructor(source: ChatStream, watchers: readonly OnEnd[], readOutcome: () => ChatOutcome) {
    this.source = source;
    this.watchers = watchers;
    this.#readOutcome = readOutcome;
  }

  get outcome() {
    return this.#readOutcome();
  }

  [Symbol.asyncIterator]() {
    const onEnd: OnEnd = (error, isLeft) => {
      for (const watcher of this.watchers) watcher(error, isLeft);
    };
    return watchIteration(this.source, { onEnd })[Symbol.asyncIterator]();
  }
}

/** Returns the same speech and reports how its bytes end. */
export function watchSpeech(speech: SpeechStream, onEnd: IterationWatcher<Buffer>['onEnd']): SpeechStream {
  return { ...speech, chunks: watchIteration(speech.chunks, { onEnd }) };
}
