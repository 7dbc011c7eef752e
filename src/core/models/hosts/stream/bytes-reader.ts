import { isAscii } from 'node:buffer';
import { createParser } from 'eventsource-parser';
import { isJsonObject, type JsonObject } from '../../../../lib/json/json.ts';
import { JSON_LIMITS, SMALL_BYTES } from '../../../../lib/json/read-json.ts';
import { isError, toErrorOfBody } from '../../../../protocols/error-answer.ts';
import type { ReadEvent } from '../../../../protocols/stream/event-reader.ts';
import type { ChatEvent } from '../../contract/chat-answer.ts';
import { type ProviderError, ProviderStreamError, ProviderUnavailableError } from '../../contract/model-errors.ts';
import { MAX_COMPLETION_BYTES } from './collect-completion.ts';
import type { EventStreamParams } from './event-stream.ts';
import { hasLongFields, recordParts } from './split-event.ts';

/** As large as a whole answer: some hosts send an image in one event, and those of 4K have 40 MB. */
const MAX_EVENT_BYTES = MAX_COMPLETION_BYTES;
/** More lines than a printed JSON text that is read has: joining 7 million of them takes 100 ms. */
const MAX_EVENT_LINES = JSON_LIMITS.values;
/** Further events before the answer are not delivered. */
const MAX_EARLY_EVENTS = 16;
/** More than a model writes in an answer: the host repeats itself. */
const MAX_EVENTS = 1_000_000;
/** Maximum size of a chunk that is decoded at once. */
const MAX_DECODED_BYTES = 64 * 1024;

const LINE_FEED = 0x0a;
/** Data of the last event in OpenAI's dialect. */
const DONE = '[DONE]';

/** Event as the host has sent it. */
export interface SentEvent {
  /** That of a large event has a character for each byte. */
  data: string;
  readonly name: string | undefined;
  /** Its data was not read. */
  readonly isTooLarge?: boolean;
}

/** Parses the bytes of a response into events, and updates the outcome. */
export class BytesReader {
  /** Error that ends the answer after the events that were read. */
  failure: ProviderError | undefined;
  /** Whether the last event was read, or the connection has ended. */
  isDone = false;
  readonly #options: EventStreamParams;
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

  constructor(options: EventStreamParams) {
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
