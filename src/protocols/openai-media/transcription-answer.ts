import type { ChatPart, ChatStream } from '../../core/models/contract/chat-answer.ts';
import type { Transcript, TranscriptFormat } from '../../core/models/contract/transcription-model.ts';
import { isJsonObject, type JsonObject } from '../../lib/json/json.ts';
import { toErrorBody } from '../http-error.ts';
import { readMediaUsage } from '../openai-chat/read-usage.ts';
import type { EventReader, ReadEvent } from '../stream/event-reader.ts';
import { printNativeEvent } from '../stream/native-answer.ts';
import { printData } from '../stream/openai-events.ts';
import { PING_COMMENT, type StreamDialect, type StreamPrinter } from '../stream/stream-dialect.ts';
import type { TranscriptionOptions } from './transcription-request.ts';

/** Returns the host's answer; the text alone, and that of providers with other protocols, is printed here. */
export function printTranscript({ text, native }: Transcript, format: TranscriptionOptions['format']): string | Buffer {
  if (format === 'text') return `${text}\n`;
  return native ?? JSON.stringify({ text });
}

/** Prints a stream of a transcript. */
export const TRANSCRIPT_EVENTS: StreamDialect = {
  createPrinter: createEventPrinter,
  printError: (error) => printData({ type: 'error', ...toErrorBody(error) }),
  ping: PING_COMMENT,
};

/** Prints the events of hosts that stream as they came, and those of others with the same meaning. */
function createEventPrinter({ outcome }: ChatStream): StreamPrinter {
  let text = '';
  let isNative = false;
  return {
    print({ parts, native }) {
      isNative ||= native?.dialect === 'transcriptions';
      if (native?.dialect === 'transcriptions') return printNativeEvent(native);
      const deltas = parts.flatMap((part) => (part.type === 'text-delta' ? [part.text] : []));
      text += deltas.join('');
      return deltas.map((delta) => printData({ type: 'transcript.text.delta', delta })).join('');
    },
    end: () => (isNative ? '' : printData({ type: 'transcript.text.done', text, ...printUsage(outcome) })),
  };
}

function printUsage({ usage }: ChatStream['outcome']) {
  if (!usage) return {};
  const { promptTokens, completionTokens } = usage;
  const total = promptTokens + completionTokens;
  return {
    usage: { type: 'tokens', input_tokens: promptTokens, output_tokens: completionTokens, total_tokens: total },
  };
}

/** A day: longer than any recording that hosts accept. */
const MAX_SECONDS = 86_400;

/** Reads the text of an answer; undefined if it is not a transcript in the format. */
export function readTranscriptText(body: string, parsed: unknown, format: TranscriptFormat): string | undefined {
  if (format.endsWith('json'))
    return isJsonObject(parsed) && typeof parsed.text === 'string' ? parsed.text.trim() : undefined;
  // Some servers return an error as JSON with status 200.
  return isJsonObject(parsed) ? undefined : body.trim();
}

/** Reads tokens, or the duration: OpenAI's in `usage.seconds` or `duration`, Mistral's in `usage.prompt_audio_seconds`. */
export function readTranscriptUse(body: unknown): Pick<Transcript, 'usage' | 'audioSeconds'> {
  if (!isJsonObject(body)) return {};
  const usage = isJsonObject(body.usage) ? body.usage : {};
  const seconds = Number(usage.seconds ?? usage.prompt_audio_seconds ?? body.duration);
  return {
    usage: readMediaUsage(body),
    audioSeconds: seconds > 0 && seconds < MAX_SECONDS ? seconds : undefined,
  };
}

/** Creates a reader of the events of OpenAI's `/audio/transcriptions`. */
export function createTranscriptReader(): EventReader {
  const reader = {
    isComplete: false,
    read(event: JsonObject): ReadEvent | undefined {
      const { type } = event;
      if (typeof type !== 'string' || !type.startsWith('transcript.')) return undefined;
      if (type !== 'transcript.text.done') return { parts: toDelta(event) };
      reader.isComplete = true;
      return { parts: [...toUsage(event), { type: 'finish', choice: 0, reason: 'stop' }], isLast: true };
    },
  };
  return reader;
}

function toDelta({ delta }: JsonObject): readonly ChatPart[] {
  return typeof delta === 'string' ? [{ type: 'text-delta', choice: 0, text: delta }] : [];
}

function toUsage(event: JsonObject): readonly ChatPart[] {
  const usage = readMediaUsage(event);
  return usage ? [{ type: 'usage', usage }] : [];
}
