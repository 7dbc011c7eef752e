import { isAscii } from 'node:buffer';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { createParser } from 'eventsource-parser';
import type { HttpResponse } from '../../../lib/http-client.ts';
import { isJsonObject, type JsonObject } from '../../../lib/json.ts';
import { awaitOwnTurn } from '../../../lib/large-json.ts';
import { JSON_LIMITS, readJson, readSmallJson, SMALL_BYTES } from '../../../lib/read-json.ts';
import type { ChatEvent, ChatPart, ChatStream } from '../chat-answer.ts';
import type { GrowingOutcome } from '../chat-outcome.ts';
import { type ProviderError, ProviderStreamError, ProviderUnavailableError } from '../model-errors.ts';
import type { Dialect } from '../native-request.ts';
import { MAX_COMPLETION_BYTES } from './collect-completion.ts';
import { isError, toErrorOfBody } from './host/error-answer.ts';
import { recordParts } from './record-parts.ts';
import { deliverInSteps, hasLongFields } from './split-event.ts';
import { startStream } from './start-stream.ts';

/** As large as a whole answer: some hosts send an image in one event, and those of 4K have 40 MB. */
const MAX_EVENT_BYTES = MAX_COMPLETION_BYTES;
/** More lines than a printed JSON text that is read has: joining 7 million of them takes 100 ms. */
const MAX_EVENT_LINES = JSON_LIMITS.values;
/** Further events before the answer are not delivered. */
const MAX_EARLY_EVENTS = 16;
/** A host can send thousands of events at once. After this many, the event loop runs. */
const EVENTS_PER_BATCH = 100;
/** More than a model writes in an answer: the host repeats itself. */
const MAX_EVENTS = 1_000_000;
/** How long to wait for the end of the response after the last event, so that the connection can be reused. */
const END_PATIENCE_MS = 100;

/** Maximum size of a chunk that is decoded at once. */
const MAX_DECODED_BYTES = 64 * 1024;

const LINE_FEED = 0x0a;
/** Data of the last event in OpenAI's dialect. */
const DONE = '[DONE]';

/** Reads the events of one answer in one dialect. */
export interface EventReader {
  /** Whether nothing of the answer is missing. Then it does not matter if the connection breaks off. */
  readonly isComplete: boolean;
  /** Returns the meaning of an event, or undefined if the event does not belong to an answer of this dialect. */
  read(event: JsonObject): ReadEvent | undefined;
}

/** Meaning of an event. */
export type ReadEvent =
  | {
      readonly parts: readonly ChatPart[];
      readonly isLast?: boolean;
      /** True if the answer has not begun: the event is delivered with the first one of the answer. */
      readonly isEarly?: boolean;
      /** True if clients of the dialect could not read the event as it is. */
      readonly isIrregular?: boolean;
    }
  /** The host sent an error. */
  | { readonly failure: ProviderError }
  /** The event is not delivered. */
  | 'ignored';

export interface EventStreamOptions {
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
export function openEventStream(http: HttpResponse, options: EventStreamOptions): Promise<ChatStream> {
  const { outcome, toError } = options;
  return startStream(readEvents(http, options), { outcome, onFirst: () => http.markStarted(), toError });
}

/** Ends when the answer is complete, and throws if it breaks off. */
async function* readEvents(
  http: HttpResponse,
  options: EventStreamOptions,
): AsyncGenerator<ChatEvent, void, undefined> {
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
  { outcome }: EventStreamOptions,
): AsyncGenerator<ChatEvent, void, undefined> {
  await awaitOwnTurn();
  const bytes = Buffer.from(sent.data, 'latin1');
  sent.data = '';
  await awaitOwnTurn();
  const value = await readJson(bytes);
  await awaitOwnTurn();
  for (const event of bytesReader.take(sent, value, bytes)) yield* deliverInSteps(event, outcome);
}

/** Event as the host has sent it. */
interface SentEvent {
  /** That of a large event has a character for each byte. */
  data: string;
  readonly name: string | undefined;
  /** Its data was not read. */
  readonly isTooLarge?: boolean;
}

/** Parses the bytes of a response into events, and updates the outcome. */
class BytesReader {
  /** Error that ends the answer after the events that were read. */
  failure: ProviderError | undefined;
  /** Whether the last event was read, or the connection has ended. */
  isDone = false;
  readonly #options: EventStreamOptions;
  /** What the parser has got since the last event that was whole in its chunk. */
  #form: 'ascii' | 'bytes' | 'text' = 'ascii';
  /** Whether the last chunk ended with an event. */
  #isBetweenEvents = true;
  readonly #parser: ReturnType<typeof createParser>;
  #sent: SentEvent[] = [];
  #earlyEvents: ChatEvent[] = [];
  #eventCount = 0;
  #isFirst = true;
  #isEnding = false;
  /** Number of lines since the last event, without those of the chunk with its end. */
  #lineCount = 0;

  constructor(options: EventStreamOptions) {
    this.#options = options;
    this.#parser = createParser({
      maxBufferSize: MAX_EVENT_BYTES,
      onEvent: ({ data, event }) => this.#sent.push({ data: this.#toData(data), name: event }),
      onError: ({ type }) => {
        if (type === 'max-buffer-size-exceeded') this.#sent.push({ data: '', name: undefined, isTooLarge: true });
      },
    });
  }

  /** Returns the events that end with these bytes, or with the end of the connection. */
  feed(bytes: Buffer | undefined): readonly SentEvent[] {
    this.#isEnding = bytes === undefined;
    // Some hosts omit the last blank line.
    this.#parser.feed(bytes ? this.#toCharacters(bytes) : '\n\n');
    const sent = this.#sent;
    this.#sent = [];
    this.#lineCount = sent.length > 0 ? 0 : this.#lineCount + countLines(bytes);
    if (this.#lineCount > MAX_EVENT_LINES) sent.push({ data: '', name: undefined, isTooLarge: true });
    return sent;
  }

  /**
   * Returns a character for each byte, because other strings of large events would take more memory and time. A small
   * chunk of whole events is decoded at once, because that takes less time than each event by itself.
   */
  #toCharacters(bytes: Buffer): string {
    const isBehindEvent = this.#isBetweenEvents;
    this.#isBetweenEvents = bytes.at(-1) === LINE_FEED && bytes.at(-2) === LINE_FEED;
    const isWhole = isBehindEvent && this.#isBetweenEvents && bytes.length <= MAX_DECODED_BYTES;
    if (!isAscii(bytes)) this.#form = isWhole ? 'text' : 'bytes';
    else if (isBehindEvent) this.#form = 'ascii';
    return bytes.toString(this.#form === 'text' ? 'utf8' : 'latin1');
  }

  #toData(characters: string): string {
    if (characters.length > SMALL_BYTES)
      return this.#form === 'text' ? Buffer.from(characters).toString('latin1') : characters;
    return (this.#form === 'bytes' ? Buffer.from(characters, 'latin1').toString('utf8') : characters).trim();
  }

  /** Called when the connection has ended, behind its last event. */
  end(): void {
    if (!this.isDone && !this.#options.reader.isComplete) this.#fail('ended the answer early');
    this.isDone = true;
  }

  /**
   * Returns the events to deliver for an event of the host.
   * @param value its data as JSON, undefined if it is none.
   * @param bytes data of a large event, whose parts the caller has to record.
   */
  take({ data, name, isTooLarge }: SentEvent, value: unknown, bytes?: Buffer): readonly ChatEvent[] {
    if (this.isDone || this.failure) return [];
    this.#eventCount += 1;
    if (isTooLarge) return this.#fail('sent an event that is too large');
    if (this.#eventCount > MAX_EVENTS) return this.#fail('sent too many events');
    if (data === DONE) {
      this.isDone = true;
      return [];
    }
    const event = bytes && value === undefined ? undefined : toEvent(data, value);
    if (event === 'nothing') return [];
    if (name === 'error' || (event && (event.type === 'error' || isError(event)))) {
      const { provider, secrets } = this.#options;
      this.failure = toErrorOfBody(provider, event ?? { error: data }, secrets);
      return [];
    }
    const meaning = event && this.#options.reader.read(event);
    if (meaning) return this.#takeMeaning(meaning, data, bytes);
    // At the end, an incomplete event is ignored.
    return this.#isEnding ? [] : this.#fail('sent something that is not a completion');
  }

  #takeMeaning(meaning: ReadEvent, data: string, bytes: Buffer | undefined): readonly ChatEvent[] {
    if (meaning === 'ignored') return [];
    if ('failure' in meaning) {
      this.failure = meaning.failure;
      return [];
    }
    const { parts, isLast = false, isEarly = false, isIrregular = false } = meaning;
    if (bytes && hasLongFields(parts)) return this.#fail('sent an event that is too large');
    this.isDone = isLast;
    // JSON strings contain no raw line feeds, so joining lines does not change the value.
    const native = { dialect: this.#options.dialect, data: bytes ?? data.replaceAll('\n', ' ') };
    const event = isIrregular ? { parts } : { parts, native };
    if (isEarly) {
      if (this.#earlyEvents.length < MAX_EARLY_EVENTS) this.#earlyEvents.push(event);
      return [];
    }
    this.#isFirst = false;
    if (!bytes) recordParts(this.#options.outcome, parts);
    return this.#earlyEvents.length === 0 ? [event] : [...this.#earlyEvents.splice(0), event];
  }

  #fail(how: string): readonly ChatEvent[] {
    const { provider } = this.#options;
    const message = `${provider} ${how}`;
    this.failure ??= this.#isFirst
      ? new ProviderUnavailableError(provider, message)
      : new ProviderStreamError(provider, message);
    return [];
  }
}

function countLines(bytes: Buffer | undefined): number {
  let count = 0;
  for (let at = bytes?.indexOf(LINE_FEED) ?? -1; bytes && at >= 0; at = bytes.indexOf(LINE_FEED, at + 1)) count += 1;
  return count;
}

/** Words by which hosts and proxies keep a connection alive, instead of comments. */
const KEEPS_ALIVE = /^\W*(?:ping|pong|heart[ _-]?beat|keep[ _-]?alive|connected|processing|waiting)\W*$/i;

/**
 * Returns the JSON of an event: `nothing` for data without meaning, such as `null`, `[]`, `{}` and `ping`; undefined if
 * it is no JSON. An error in a list, as Google sends it, is returned without its list.
 */
function toEvent(data: string, value: unknown): JsonObject | 'nothing' | undefined {
  if (data === '' && value === undefined) return 'nothing';
  if (value === undefined) return KEEPS_ALIVE.test(data.slice(0, 100)) ? 'nothing' : undefined;
  const event = Array.isArray(value) ? value.find((entry) => isJsonObject(entry) && entry.error) : value;
  return isJsonObject(event) && !isEmpty(event) ? event : 'nothing';
}

/** Called for each event of a stream, so it makes no list of the names. */
function isEmpty(object: JsonObject): boolean {
  for (const _name in object) return false;
  return true;
}
