import type { HttpExchange } from '../../../../lib/http-client.ts';
import { isJsonObject, type JsonObject, parseJson } from '../../../../lib/json.ts';
import { createSseSplitter, isPlainSseEvent, readSseData } from '../../../../lib/sse.ts';
import type { ChatOutcome, ChatStream, TokenUsage } from '../../chat-model.ts';
import { type ProviderError, ProviderStreamError, ProviderUnavailableError } from '../../model-errors.ts';
import { choicesOf, finishReasonOf, hasDelta, isFinished, usageOf } from './completion-body.ts';
import { toErrorOfBody } from './error-answer.ts';

const MAX_EVENT_BYTES = 4 * 1024 * 1024;
/** How long the end of the connection is awaited behind `[DONE]`, so that it can be used again. */
const DONE_PATIENCE_MS = 100;

const FINISH_REASON = Buffer.from('"finish_reason"');
const USAGE = Buffer.from('"usage"');
const ERROR = Buffer.from('"error"');

export interface ChatStreamOptions {
  readonly provider: string;
  /** The provider's name of the model. */
  readonly model: string;
  /** Whether the client asked for the extra usage chunk. */
  readonly wantsUsage: boolean;
  /** How many choices were asked for (`n`). */
  readonly choiceCount: number;
  /** Cut out of the provider's messages. */
  readonly secrets: readonly string[];
  /** The caller's. */
  readonly signal: AbortSignal;
}

/** A `ChatOutcome` while it is being filled. */
export type GrowingOutcome = { -readonly [Field in keyof ChatOutcome]: ChatOutcome[Field] };

/**
 * Makes a stream of an event-stream answer whose head has arrived. Resolves with its first event. Plain events are
 * forwarded as the bytes they came in, and only those that say something about the end are parsed.
 * @param toError makes a ProviderError (or the caller's abort reason) of what reading threw.
 * @throws ProviderUnavailableError, ProviderRejectedError, or what `toError` gives.
 */
export async function openChatStream(
  http: HttpExchange,
  options: ChatStreamOptions,
  toError: (error: unknown, isUnderWay: boolean) => unknown,
): Promise<ChatStream> {
  const outcome = createOutcome(options.provider, options.model);
  const reader = createEventReader(http, options, outcome);
  try {
    const first = await reader.next();
    if (first === undefined)
      throw new ProviderUnavailableError(options.provider, `${options.provider} answered nothing`);
    http.markStarted();
    return { outcome, [Symbol.asyncIterator]: () => iterate(http, reader, first, toError) };
  } catch (error) {
    http.close();
    // Nothing was delivered yet: whatever cut the stream, another provider may be asked.
    throw error instanceof ProviderStreamError
      ? new ProviderUnavailableError(options.provider, error.message, { cause: error })
      : toError(error, false);
  }
}

export function createOutcome(provider: string, model: string): GrowingOutcome {
  return { provider, model, id: undefined, finishReason: undefined, usage: undefined, deltaCount: 0 };
}

function iterate(
  http: HttpExchange,
  reader: EventReader,
  first: Buffer,
  toError: (error: unknown, isUnderWay: boolean) => unknown,
): AsyncIterator<Buffer> {
  let pending: Buffer | undefined = first;
  let isOver = false;
  const finish = (): IteratorResult<Buffer> => {
    isOver = true;
    http.close();
    return { done: true, value: undefined };
  };
  return {
    async next() {
      if (isOver) return { done: true, value: undefined };
      if (pending) {
        const value = pending;
        pending = undefined;
        return { done: false, value };
      }
      try {
        const value = await reader.next();
        return value === undefined ? finish() : { done: false, value };
      } catch (error) {
        finish();
        throw toError(error, true);
      }
    },
    return: async () => finish(),
  };
}

interface EventReader {
  /** The next events worth forwarding; undefined when the completion is complete. Throws where it breaks off. */
  next(): Promise<Buffer | undefined>;
}

function createEventReader(http: HttpExchange, options: ChatStreamOptions, outcome: GrowingOutcome): EventReader {
  const splitter = createSseSplitter({ maxEventBytes: MAX_EVENT_BYTES });
  const finished = new Set<unknown>();
  const inspect = createInspector(options, outcome, finished);
  const isComplete = () => finished.size >= options.choiceCount;
  let failure: unknown;
  let isDone = false;

  /** Sorts out one batch of events; what stands before an error is still delivered. */
  const sift = (events: readonly Buffer[]): Buffer | undefined => {
    const kept: Buffer[] = [];
    try {
      for (const event of events) {
        const verdict = inspect(event);
        if (verdict === 'done') isDone = true;
        else if (verdict !== 'drop') append(kept, verdict);
        if (isDone) break;
      }
    } catch (error) {
      if (kept.length === 0) throw error;
      failure = error;
    }
    return kept.length > 1 ? Buffer.concat(kept) : kept[0];
  };

  const atEnd = (): Buffer | undefined => {
    const rest = splitter.rest();
    const data = rest && readSseData(rest);
    // Some hosts end without the last blank line.
    if (data !== undefined && (data.trim() === '[DONE]' || isJsonObject(parseJson(data)))) {
      const last = sift([Buffer.from(`data: ${data}\n\n`)]);
      if (last) return last;
    }
    if (!isDone && !isComplete()) {
      throw new ProviderStreamError(options.provider, `${options.provider} cut the answer off`);
    }
    isDone = true;
    return undefined;
  };

  return {
    async next() {
      for (;;) {
        if (failure !== undefined) throw failure;
        if (isDone) {
          outcome.finishReason ??= 'stop';
          await http.awaitEnd(DONE_PATIENCE_MS);
          return undefined;
        }
        let chunk: Buffer | undefined;
        try {
          chunk = await http.read();
        } catch (error) {
          // A host that falls silent or cuts the connection behind the last finish reason has said everything.
          if (options.signal.aborted || !isComplete()) throw error;
        }
        const kept = chunk === undefined ? atEnd() : sift(splitter.push(chunk));
        if (kept) return kept;
      }
    },
  };
}

/** Adds an event to the kept ones; neighbours in memory become one piece without copying. */
function append(kept: Buffer[], event: Buffer): void {
  const last = kept.at(-1);
  if (last && last.buffer === event.buffer && last.byteOffset + last.length === event.byteOffset) {
    kept[kept.length - 1] = Buffer.from(last.buffer, last.byteOffset, last.length + event.length);
  } else {
    kept.push(event);
  }
}

type Verdict = Buffer | 'drop' | 'done';

/** Judges events one by one: the bytes to forward, `drop` for what is none of the client's business, `done`. */
function createInspector(
  options: ChatStreamOptions,
  outcome: GrowingOutcome,
  finished: Set<unknown>,
): (event: Buffer) => Verdict {
  let isFirst = true;
  return (event) => {
    const isPlain = isPlainSseEvent(event);
    if (isPlain && !isFirst && isJsonEvent(event) && !isTelling(event)) {
      outcome.deltaCount += 1;
      return event;
    }
    const data = readSseData(event)?.trim();
    if (data === undefined || data === '') return 'drop';
    if (data === '[DONE]') return 'done';
    const chunk = parseJson(data);
    if (!isJsonObject(chunk)) throw notAnEvent(options.provider, isFirst);
    if (chunk.error !== undefined && chunk.error !== null)
      throw toErrorOfBody(options.provider, chunk, options.secrets);
    if (isFirst && !Array.isArray(chunk.choices)) throw notAnEvent(options.provider, isFirst);
    isFirst = false;
    note(outcome, finished, chunk);
    if (!options.wantsUsage && choicesOf(chunk).length === 0 && usageOf(chunk)) return 'drop';
    // JSON has no line feed inside strings: joining its lines changes nothing.
    return isPlain ? event : Buffer.from(`data: ${data.replaceAll('\n', ' ')}\n\n`);
  };
}

function notAnEvent(provider: string, isFirst: boolean): ProviderError {
  const message = `${provider} sent something that is no completion`;
  return isFirst ? new ProviderUnavailableError(provider, message) : new ProviderStreamError(provider, message);
}

/** Takes from a chunk what is known afterwards; `finished` holds the indexes of the choices that have ended. */
function note(outcome: GrowingOutcome, finished: Set<unknown>, chunk: JsonObject): void {
  const usage: TokenUsage | undefined = usageOf(chunk);
  if (typeof chunk.id === 'string' && chunk.id !== '') outcome.id ??= chunk.id;
  for (const choice of choicesOf(chunk)) if (isFinished(choice)) finished.add(choice.index);
  outcome.finishReason = finishReasonOf(chunk) ?? outcome.finishReason;
  if (usage) outcome.usage = usage;
  if (hasDelta(chunk)) outcome.deltaCount += 1;
}

/** True for `data: {…}\n\n`. */
function isJsonEvent(event: Buffer): boolean {
  return event[6] === 0x7b && event[event.length - 3] === 0x7d;
}

/** True where the event says something of the end: a finish reason, usage or an error that is not null. */
function isTelling(event: Buffer): boolean {
  return hasField(event, FINISH_REASON) || hasField(event, USAGE) || hasField(event, ERROR);
}

/** Whether the quoted name stands there as a field with a value other than null. May say yes too often, never too seldom. */
function hasField(event: Buffer, quotedName: Buffer): boolean {
  let at = event.indexOf(quotedName);
  while (at >= 0) {
    let next = at + quotedName.length;
    while (event[next] === 0x20) next += 1;
    if (event[next] === 0x3a) {
      next += 1;
      while (event[next] === 0x20) next += 1;
      if (event[next] !== 0x6e) return true;
    }
    at = event.indexOf(quotedName, next);
  }
  return false;
}
