import type { SpeechStream } from '../../core/models/contract/speech-model.ts';
import { toErrorBody } from '../http-error.ts';
import { printData } from '../stream/openai-events.ts';
import { type AnswerStream, PING_COMMENT, type StreamDialect } from '../stream/stream-dialect.ts';

/** Prints a sound file as events with its parts. */
export const SPEECH_EVENTS: StreamDialect<Buffer, AnswerStream<Buffer>> = {
  createPrinter: () => ({
    print: (chunk) => printData({ type: 'speech.audio.delta', audio: chunk.toString('base64') }),
    end: () => printData({ type: 'speech.audio.done' }),
  }),
  printError: (error) => printData({ type: 'error', ...toErrorBody(error) }),
  ping: PING_COMMENT,
};

/** Returns a sound file as the stream that is printed. */
export function toAnswerStream({ chunks, provider, model }: SpeechStream): AnswerStream<Buffer> {
  return {
    outcome: { provider, model, finishReason: undefined },
    [Symbol.asyncIterator]: () => chunks[Symbol.asyncIterator](),
  };
}
