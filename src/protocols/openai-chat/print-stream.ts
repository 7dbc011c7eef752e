import type { ChatStream } from '../../core/models/contract/chat-answer.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import { printNativeEvent } from '../stream/native-answer.ts';
import { DONE, printData, printErrorChunk, printLongData, wantsUsageChunk } from '../stream/openai-events.ts';
import { PING_COMMENT, type StreamDialect, type StreamPrinter } from '../stream/stream-dialect.ts';
import { isLongImage, isUsageAlone, printFirstChunk, printPart, printUsageChunk, toHead } from './print-answer.ts';

/** Prints a stream as chunks of chat completions. @param body the request. */
export function createChunkDialect(body: JsonObject, nowMs: number): StreamDialect {
  const wantsUsage = wantsUsageChunk(body);
  return {
    createPrinter: (stream) => createPrinter(stream, wantsUsage, nowMs),
    printError: printErrorChunk,
    ping: PING_COMMENT,
  };
}

/** Creates the printer of one stream. The usage chunk is sent only if the client requested it. */
function createPrinter(stream: ChatStream, wantsUsage: boolean, nowMs: number): StreamPrinter {
  const head = toHead(stream.outcome, { model: stream.outcome.model, nowMs });
  let isFirst = true;
  let hasUsage = false;
  return {
    print(event) {
      const { parts, native: chunk } = event;
      hasUsage ||= wantsUsage && parts.some(({ type }) => type === 'usage');
      if (!wantsUsage && isUsageAlone(event)) return '';
      if (chunk?.dialect === 'chat-completions') return printNativeEvent(chunk);
      const printed = parts.filter(({ type }) => wantsUsage || type !== 'usage').map((part) => printPart(part, head));
      if (isFirst) printed.unshift(printFirstChunk(head));
      isFirst = false;
      return parts.some(isLongImage) ? printLongData(printed) : printed.map(printData).join('');
    },
    end: () => (wantsUsage && !hasUsage ? printData(printUsageChunk(head, stream.outcome)) : '') + DONE,
  };
}
