import { leaveOnAbort } from '../../../lib/async/leave-on-abort.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { HeldBytes } from '../../../lib/http/held-bytes.ts';
import { type ChatEvent, type ChatStream, countDeltaTokens } from '../../models/index.ts';

/** Longest time for which the usage of a left request is awaited. */
const MAX_WAIT_MS = 60_000;
/** Left requests of one user at the same time. */
const MAX_PER_USER = 20;
/** Left requests in all at the same time. */
const MAX_LEFT = 100;

/** A request at a host that may go on after its client has left. */
export interface AttendedRequest {
  /**
   * Signal for the host. Before the answer it aborts when the usage is no longer awaited, after `markAnswered` with the
   * client's.
   */
  readonly signal: AbortSignal;
  readonly isAnswered: boolean;
  /** Called with the first token: what the client has got can be counted from now on. */
  markAnswered(): void;
  /** Called when the client stops to read without an abort. */
  leave(): void;
  /** Called when the request at the host has ended. */
  end(): void;
}

interface LeftRequest {
  readonly userId: number;
  readonly abort: () => void;
  readonly ended: Promise<void>;
}

/**
 * Requests under a budget whose clients leave before the answer. Hosts charge for them, so they go on until their usage
 * is known: for a minute at most, and a bounded number of them.
 */
export class LeftRequests {
  readonly #clock: Clock;
  readonly #heldBytes: HeldBytes | undefined;
  readonly #left = new Set<LeftRequest>();
  #isClosed = false;

  /** @param heldBytes budget in which a request counts until it has ended at the host. Default none. */
  constructor(clock: Clock, heldBytes?: HeldBytes | undefined) {
    this.#clock = clock;
    this.#heldBytes = heldBytes;
  }

  /** @param client signal of the client. */
  attend(userId: number, client: AbortSignal): AttendedRequest {
    const host = new AbortController();
    const ended = Promise.withResolvers<void>();
    const hold = this.#heldBytes?.openForReading();
    const abort = () => host.abort(client.reason);
    const request = { userId, abort, ended: ended.promise };
    let cancelTimer = () => {};
    const leave = () => {
      if (attended.isAnswered) return abort();
      if (this.#left.has(request)) return;
      if (!this.#hasRoom(userId)) return abort();
      this.#left.add(request);
      cancelTimer = this.#clock.setTimer(MAX_WAIT_MS, abort);
    };
    client.addEventListener('abort', leave, { once: true });
    const attended = {
      signal: host.signal,
      isAnswered: false,
      markAnswered: () => {
        attended.isAnswered = true;
        if (client.aborted) abort();
      },
      leave,
      end: () => {
        client.removeEventListener('abort', leave);
        cancelTimer();
        hold?.release();
        this.#left.delete(request);
        ended.resolve();
      },
    };
    return attended;
  }

  /** Ends all left requests, which then count with what was reserved. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const left = [...this.#left];
    for (const { abort } of left) abort();
    await Promise.all(left.map(({ ended }) => ended));
  }

  #hasRoom(userId: number): boolean {
    if (this.#isClosed || this.#left.size >= MAX_LEFT) return false;
    return [...this.#left].filter((request) => request.userId === userId).length < MAX_PER_USER;
  }
}

/** Returns a stream that is read to its end without its client, if the client leaves before the first token. */
export function attendStream(stream: ChatStream, request: AttendedRequest, client: AbortSignal): ChatStream {
  return new AttendedStream(stream, request, client);
}

class AttendedStream implements ChatStream {
  readonly #stream: ChatStream;
  readonly #request: AttendedRequest;
  readonly #client: AbortSignal;

  constructor(stream: ChatStream, request: AttendedRequest, client: AbortSignal) {
    this.#stream = stream;
    this.#request = request;
    this.#client = client;
  }

  get outcome() {
    return this.#stream.outcome;
  }

  [Symbol.asyncIterator](): AsyncIterator<ChatEvent> {
    const request = this.#request;
    const client = this.#client;
    const iterator = this.#stream[Symbol.asyncIterator]();
    const readToEnd = async (first: Promise<IteratorResult<ChatEvent>>) => {
      request.leave();
      let item = await first;
      while (!item.done) item = await iterator.next();
    };
    const nextBeforeAnswer = async () => {
      const item = iterator.next();
      try {
        const result = await leaveOnAbort(item, client);
        if (countDeltaTokens(this.outcome) > 0) request.markAnswered();
        return result;
      } catch (error) {
        // The end of the stream is recorded by its watchers.
        if (client.aborted) readToEnd(item).catch(() => {});
        throw error;
      }
    };
    return {
      next: () => (request.isAnswered ? iterator.next() : nextBeforeAnswer()),
      async return() {
        if (request.isAnswered) return (await iterator.return?.()) ?? ENDED;
        readToEnd(iterator.next()).catch(() => {});
        return ENDED;
      },
    };
  }
}

const ENDED = { done: true, value: undefined } as const;
