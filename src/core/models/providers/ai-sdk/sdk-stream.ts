import { setImmediate as nextTurn } from 'node:timers/promises';
import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';
import type { ChatEvent, ChatRequest, ChatStream, GrowingOutcome } from '../../chat-model.ts';
import { ProviderStreamError, ProviderUnavailableError } from '../../model-errors.ts';
import { recordParts } from '../record-parts.ts';
import { PartReader, recordMetadata } from './part-reader.ts';
import type { SdkRequest } from './sdk-request.ts';
import { refuseLosses } from './warnings.ts';

export interface SdkStreamOptions {
  readonly provider: string;
  readonly metadataKey: string;
  readonly params: ChatRequest;
  readonly outcome: GrowingOutcome;
  /** Request that the stream is the response of. */
  readonly request: SdkRequest;
  /** Converts an error to a ProviderError or the abort reason. */
  readonly toError: (error: unknown, isUnderWay: boolean) => unknown;
}

const PARTS_PER_BATCH = 100;

/**
 * Converts a stream of the SDK. Resolves with its first event.
 * @throws the result of `toError`.
 */
export async function openSdkStream(
  stream: ReadableStream<LanguageModelV4StreamPart>,
  options: SdkStreamOptions,
): Promise<ChatStream> {
  const { provider, outcome, request, toError } = options;
  const events = readEvents(stream, options);
  try {
    const first = await events.next();
    if (first.done) throw new ProviderUnavailableError(provider, `${provider} returned an empty answer`);
    request.markStarted();
    return { outcome, [Symbol.asyncIterator]: () => continueWith(first.value, events, toError) };
  } catch (error) {
    request.close();
    throw toError(error, false);
  }
}

async function* continueWith(
  first: ChatEvent,
  events: AsyncGenerator<ChatEvent, void, undefined>,
  toError: SdkStreamOptions['toError'],
): AsyncGenerator<ChatEvent, void, undefined> {
  try {
    yield first;
    yield* events;
  } catch (error) {
    throw toError(error, true);
  } finally {
    await events.return();
  }
}

/** Ends when the answer is complete, and throws if it breaks off. */
async function* readEvents(
  stream: ReadableStream<LanguageModelV4StreamPart>,
  { provider, metadataKey, params, outcome, request }: SdkStreamOptions,
): AsyncGenerator<ChatEvent, void, undefined> {
  const reader = new PartReader(metadataKey);
  let partCount = 0;
  let isComplete = false;
  try {
    for await (const part of stream) {
      if (part.type === 'stream-start') refuseLosses(part.warnings, params);
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
      if (partCount % PARTS_PER_BATCH === 0) await nextTurn();
    }
    if (!isComplete) throw new ProviderStreamError(provider, `${provider} ended the answer early`);
  } finally {
    request.close();
  }
}
