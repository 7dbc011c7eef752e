import { SPEECH_MEDIA_TYPES, type SpeechFormat, type SpeechStream } from '../../core/models/contract/speech-model.ts';
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

const OPENING_BRACE = '{'.charCodeAt(0);

/** Returns whether an answer is JSON: some servers return an error with status 200. `pcm` may begin with any byte. */
export function isJsonAnswer(declared: string, bytes: Buffer): boolean {
  return /json/i.test(declared) || (bytes[0] === OPENING_BRACE && !/^audio\//i.test(declared));
}

/** Returns the media type of an answer: some servers have one format only and ignore the requested one. */
export function readMediaType(declared: string, format: SpeechFormat): string {
  const type = declared.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  return Object.values(SPEECH_MEDIA_TYPES).includes(type) ? type : SPEECH_MEDIA_TYPES[format];
}
