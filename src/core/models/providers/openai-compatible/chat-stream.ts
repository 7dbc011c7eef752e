import { setImmediate as nextTurn } from 'node:timers/promises';
import { createParser } from 'eventsource-parser';
import type { HttpResponse } from '../../../../lib/http-client.ts';
import { isJsonObject, type JsonObject, parseJson } from '../../../../lib/json.ts';
import { type ChatEvent, type ChatStream, createOutcome, type GrowingOutcome } from '../../chat-model.ts';
import { type ProviderError, ProviderStreamError, ProviderUnavailableError } from '../../model-errors.ts';
import { toErrorOfBody } from './error-answer.ts';
import { readParts, recordIdentity, recordParts } from './read-chat.ts';

const MAX_EVENT_CHARACTERS = 4 * 1024 * 1024;
/** A host can send thousands of events at once. After this many, the event loop runs. */
const EVENTS_PER_BATCH = 100;
/** How long to wait for the end of the response after `[DONE]`, so that the connection can be reused. */
const DONE_PATIENCE_MS = 100;

export interface ChatStreamOptions {
  readonly provider: string;
  /** The provider's name of the model. */
  readonly model: string;
  /** Number of requested choices (`n`). */
  readonly choiceCount: number;
  /** Secrets to remove from the provider's messages. */
  readonly secrets: readonly string[];
  /** Signal of the request. */
  readonly signal: AbortSignal;
}

/**
 * Converts an event-stream response to a stream. Resolves with its first event.
 * @param toError converts an error of reading to a ProviderError or the abort reason.
 * @throws ProviderUnavailableError, ProviderRejectedError, or the result of `toError`.
 */
export async function openChatStream(
  http: HttpResponse,
  options: ChatStreamOptions,
  toError: (error: unknown, isUnderWay: boolean) => unknown,
): Promise<ChatStream> {
  const { provider } = options;
  const outcome = createOutcome(provider, options.model);
  const events = readEvents(http, options, outcome);
  try {
    const first = await events.next();
    if (first.done) throw new ProviderUnavailableError(provider, `${provider} returned an empty answer`);
    http.markStarted();
    return { outcome, [Symbol.asyncIterator]: () => continueWith(first.value, events, toError) };
  } catch (error) {
    http.close();
    // Nothing was delivered yet, so another provider may be tried.
    throw error instanceof ProviderStreamError
      ? new ProviderUnavailableError(provider, error.message, { cause: error })
      : toError(error, false);
  }
}

async function* continueWith(
  first: ChatEvent,
  events: AsyncGenerator<ChatEvent, void, undefined>,
  toError: (error: unknown, isUnderWay: boolean) => unknown,
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

/** Ends when the completion is complete, and throws if it breaks off. */
async function* readEvents(
  http: HttpResponse,
  options: ChatStreamOptions,
  outcome: GrowingOutcome,
): AsyncGenerator<ChatEvent, void, undefined> {
  const reader = new ChunkReader(options, outcome);
  let eventCount = 0;
  try {
    while (!reader.isDone) {
      let bytes: Buffer | undefined;
      try {
        bytes = await http.read();
      } catch (error) {
        // After the last finish reason the answer is complete, even if the host stalls or cuts the connection.
        if (options.signal.aborted || !reader.isComplete) throw error;
      }
      for (const event of bytes ? reader.read(bytes) : reader.readEnd()) {
        yield event;
        eventCount += 1;
        if (eventCount % EVENTS_PER_BATCH === 0) await nextTurn();
      }
      // Events before an error are delivered first.
      if (reader.failure) throw reader.failure;
    }
    outcome.finishReason ??= 'stop';
    await http.awaitEnd(DONE_PATIENCE_MS);
  } finally {
    http.close();
  }
}

/** Parses the bytes of a response into events, and updates the outcome. */
class ChunkReader {
  /** Error that ends the answer after the events that were read. */
  failure: ProviderError | undefined;
  /** Whether the host has sent `[DONE]`, or the connection has ended. */
  isDone = false;
  readonly #options: ChatStreamOptions;
  readonly #outcome: GrowingOutcome;
  readonly #decoder = new TextDecoder();
  readonly #parser: ReturnType<typeof createParser>;
  readonly #finishedChoices = new Set<number>();
  #events: ChatEvent[] = [];
  #isFirst = true;
  #isEnding = false;

  constructor(options: ChatStreamOptions, outcome: GrowingOutcome) {
    this.#options = options;
    this.#outcome = outcome;
    this.#parser = createParser({
      maxBufferSize: MAX_EVENT_CHARACTERS,
      onEvent: ({ data }) => this.#take(data),
      onError: ({ type }) => {
        if (type === 'max-buffer-size-exceeded') this.#fail('sent an event that is too large');
      },
    });
  }

  /** Whether every choice has its finish reason. */
  get isComplete(): boolean {
    return this.#finishedChoices.size >= this.#options.choiceCount;
  }

  read(bytes: Buffer): readonly ChatEvent[] {
    this.#parser.feed(this.#decoder.decode(bytes, { stream: true }));
    return this.#takeEvents();
  }

  /** Called when the connection has ended. */
  readEnd(): readonly ChatEvent[] {
    // Some hosts omit the last blank line.
    this.#isEnding = true;
    this.#parser.feed('\n\n');
    if (!this.isDone && !this.isComplete) this.#fail('ended the answer early');
    this.isDone = true;
    return this.#takeEvents();
  }

  #takeEvents(): readonly ChatEvent[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }

  #take(text: string): void {
    if (this.isDone || this.failure) return;
    const data = text.trim();
    if (data === '') return;
    if (data === '[DONE]') {
      this.isDone = true;
      return;
    }
    const chunk = parseJson(data);
    if (isJsonObject(chunk)) this.#takeChunk(chunk, data);
    // At the end, an incomplete event is ignored.
    else if (!this.#isEnding) this.#fail('sent something that is not a completion');
  }

  #takeChunk(chunk: JsonObject, data: string): void {
    const { provider, secrets } = this.#options;
    if (chunk.error !== undefined && chunk.error !== null) {
      this.failure = toErrorOfBody(provider, chunk, secrets);
      return;
    }
    if (this.#isFirst && !Array.isArray(chunk.choices)) {
      this.#fail('sent something that is not a completion');
      return;
    }
    this.#isFirst = false;
    const parts = readParts(chunk);
    recordIdentity(this.#outcome, chunk);
    recordParts(this.#outcome, parts);
    for (const part of parts) if (part.type === 'finish') this.#finishedChoices.add(part.choice);
    // JSON strings contain no raw line feeds, so joining lines does not change the value.
    this.#events.push({ parts, native: { dialect: 'chat-completions', data: data.replaceAll('\n', ' ') } });
  }

  #fail(how: string): void {
    const { provider } = this.#options;
    const message = `${provider} ${how}`;
    this.failure ??= this.#isFirst
      ? new ProviderUnavailableError(provider, message)
      : new ProviderStreamError(provider, message);
  }
}
