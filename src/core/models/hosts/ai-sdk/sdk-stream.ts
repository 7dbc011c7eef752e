import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';
import type { ChatEvent, ChatStream } from '../../contract/chat-answer.ts';
import type { GrowingOutcome } from '../../contract/chat-outcome.ts';
import type { ChatRequest } from '../../contract/chat-request.ts';
import { ProviderStreamError } from '../../contract/model-errors.ts';
import { recordParts } from '../stream/record-parts.ts';
import { startStream } from '../stream/start-stream.ts';
import { PartReader, recordMetadata } from './part-reader.ts';
import type { SdkRequest } from './sdk-request.ts';
import { refuseLosses } from './warnings.ts';

export interface SdkStreamParams {
  readonly provider: string;
  readonly metadataKey: string;
  readonly request: ChatRequest;
  readonly outcome: GrowingOutcome;
  /** Request at the vendor; the stream is its response. */
  readonly sdkRequest: SdkRequest;
  /** Converts an error to a ProviderError or the abort reason. */
  readonly toError: (error: unknown, isUnderWay: boolean) => unknown;
}

const PARTS_PER_BATCH = 100;

/**
 * Converts a stream of the SDK. Resolves with its first event.
 * @throws the result of `toError`.
 */
export function openSdkStream(
  stream: ReadableStream<LanguageModelV4StreamPart>,
  options: SdkStreamParams,
): Promise<ChatStream> {
  const { outcome, sdkRequest, toError } = options;
  return startStream(readEvents(stream, options), { outcome, onFirst: () => sdkRequest.markStarted(), toError });
}

/** Ends when the answer is complete, and throws if it breaks off. */
async function* readEvents(
  stream: ReadableStream<LanguageModelV4StreamPart>,
  { provider, metadataKey, request, outcome, sdkRequest }: SdkStreamParams,
): AsyncGenerator<ChatEvent, void, undefined> {
  const reader = new PartReader(metadataKey);
  let partCount = 0;
  let isComplete = false;
  try {
    for await (const part of stream) {
      if (part.type === 'stream-start') refuseLosses(part.warnings, request);
      if (part.type === 'response-metadata') recordMetadata(outcome, part);
      if (part.type === 'error') throw part.error;
      // Packages end a stream that was cut without a reason of the host.
      isComplete ||= part.type === 'finish' && part.finishReason.raw !== undefined;
      if (part.type === 'finish' && !isComplete) break;
      const parts = reader.read(part);
      if (parts.length > 0) {
        recordParts(outcome, parts);
        yield { parts };
      }
      partCount += 1;
      if (partCount % PARTS_PER_BATCH === 0) await yieldToEventLoop();
    }
    if (!isComplete) throw new ProviderStreamError(provider, `${provider} ended the answer early`);
  } finally {
    sdkRequest.close();
  }
}
