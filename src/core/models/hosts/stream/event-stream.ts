import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { HttpResponse } from '../../../../lib/http/http-client.ts';
import { awaitOwnTurn } from '../../../../lib/json/large-json.ts';
import { readJson, readSmallJson, SMALL_BYTES } from '../../../../lib/json/read-json.ts';
import type { EventReader } from '../../../../protocols/stream/event-reader.ts';
import type { ChatEvent, ChatStream } from '../../contract/chat-answer.ts';
import type { GrowingOutcome } from '../../contract/chat-outcome.ts';
import type { Dialect } from '../../contract/chat-request.ts';
import { BytesReader, type SentEvent } from './bytes-reader.ts';
import { deliverInSteps } from './split-event.ts';
import { startStream } from './start-stream.ts';

/** A host can send thousands of events at once. After this many, the event loop runs. */
const EVENTS_PER_BATCH = 100;
/** How long to wait for the end of the response after the last event, so that the connection can be reused. */
const END_PATIENCE_MS = 100;

export interface EventStreamParams {
  readonly provider: string;
  readonly dialect: Dialect;
  /** Updated while the stream is read. */
  readonly outcome: GrowingOutcome;
  readonly reader: EventReader;
  /** Values that are removed from the host's messages. */
  readonly secrets: readonly string[];
  /** Signal of the request. */
  readonly signal: AbortSignal;
  /** Converts an error of reading to a ProviderError or the abort reason. */
  readonly toError: (error: unknown, isUnderWay: boolean) => unknown;
}

/**
 * Converts a response of server-sent events to a stream. Resolves with its first event.
 * @throws ProviderUnavailableError, ProviderRejectedError, or the result of `toError`.
 */
export function openEventStream(http: HttpResponse, options: EventStreamParams): Promise<ChatStream> {
  const { outcome, toError } = options;
  return startStream(readEvents(http, options), { outcome, onFirst: () => http.markStarted(), toError });
}

/** Ends when the answer is complete, and throws if it breaks off. */
async function* readEvents(http: HttpResponse, options: EventStreamParams): AsyncGenerator<ChatEvent, void, undefined> {
  const bytesReader = new BytesReader(options);
  let eventCount = 0;
  try {
    while (!bytesReader.isDone) {
      let bytes: Buffer | undefined;
      try {
        bytes = await http.read();
      } catch (error) {
        if (options.signal.aborted || !options.reader.isComplete) throw error;
      }
      for (const sent of bytesReader.feed(bytes)) {
        eventCount += 1;
        if (sent.data.length > SMALL_BYTES) yield* readLargeEvent(sent, bytesReader, options);
        else for (const event of bytesReader.take(sent, readSmallJson(sent.data))) yield event;
        if (eventCount % EVENTS_PER_BATCH === 0) await yieldToEventLoop();
      }
      if (!bytes) bytesReader.end();
      // Events before an error are delivered first.
      if (bytesReader.failure) throw bytesReader.failure;
    }
    options.outcome.finishReason ??= 'stop';
    await http.awaitEnd(END_PATIENCE_MS);
  } finally {
    http.close();
  }
}

/** Reads an event in steps, the longest of which are to copy it. */
async function* readLargeEvent(
  sent: SentEvent,
  bytesReader: BytesReader,
  { outcome }: EventStreamParams,
): AsyncGenerator<ChatEvent, void, undefined> {
  await awaitOwnTurn();
  const bytes = Buffer.from(sent.data, 'latin1');
  sent.data = '';
  await awaitOwnTurn();
  const value = await readJson(bytes);
  await awaitOwnTurn();
  for (const event of bytesReader.take(sent, value, bytes)) yield* deliverInSteps(event, outcome);
}
