import type { ChatStream } from '../../core/models/contract/chat-answer.ts';
import type { Transcript } from '../../core/models/contract/transcription-model.ts';
import { toErrorBody } from '../http-error.ts';
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
