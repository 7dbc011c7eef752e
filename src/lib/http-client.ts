import type { IncomingHttpHeaders } from 'node:http';
import { Agent, type Dispatcher } from 'undici';
import type { Clock } from './clock.ts';
import { isLargeBody, writeLargeBody } from './large-body.ts';
import { createTurnBatch } from './turn-batch.ts';

/** Which patience ended: for the connection, for the start of the answer, between two reads, for the whole exchange. */
export type HttpTimeoutPhase = 'connect' | 'start' | 'idle' | 'total';

/** The other side was too slow. */
export class HttpTimeoutError extends Error {
  override readonly name = 'HttpTimeoutError';
  readonly phase: HttpTimeoutPhase;
  readonly timeoutMs: number;
  constructor(phase: HttpTimeoutPhase, timeoutMs: number, options?: ErrorOptions) {
    super(`no answer in time (${phase}, ${timeoutMs} ms)`, options);
    this.phase = phase;
    this.timeoutMs = timeoutMs;
  }
}

/** An answer was larger than allowed. */
export class HttpSizeError extends Error {
  override readonly name = 'HttpSizeError';
}

/** Milliseconds. */
interface HttpTimeouts {
  /** Until a connection stands; kept by the agent, here for the words of the error. */
  readonly connectMs: number;
  /** From the call until `markStarted`, whatever arrives in between. */
  readonly startMs: number;
  /** A single wait for bytes after `markStarted`. Time the reader takes for itself does not count. */
  readonly idleMs: number;
  /** The whole exchange. */
  readonly totalMs: number;
}

export interface HttpRequestOptions {
  readonly method: 'GET' | 'POST';
  /** Parsed already where the same is asked again and again. */
  readonly url: string | URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Buffer | undefined;
  readonly timeouts: HttpTimeouts;
  readonly signal: AbortSignal;
}

/** An answer whose body is read by its owner, who must `close` it. */
export interface HttpExchange {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Ends the wait for the start: from now on only single waits and the total are limited. */
  markStarted(): void;
  /**
   * The next bytes; undefined at the end.
   * @throws HttpTimeoutError, the signal's reason, or the socket's error where the body breaks off.
   */
  read(): Promise<Buffer | undefined>;
  /**
   * What is left of the body.
   * @throws HttpSizeError beyond `maxBytes`, and like `read`.
   */
  readAll(maxBytes: number): Promise<Buffer>;
  /** Reads on for at most `patienceMs` without looking at it, so that a connection that ends soon can be used again. */
  awaitEnd(patienceMs: number): Promise<void>;
  /** Lets go of socket, timers and listeners; an unfinished body is cut. Repeating is harmless. */
  close(): void;
}

/** To one host: a thousand answers in chats and a thousand for the API may stream at once, and each has a connection of its own. */
const MOST_CONNECTIONS = 2048;

/** A pool of keep-alive connections with a limit on connecting. The caller closes it. */
export function createHttpAgent(options: { readonly connectMs: number }): Agent {
  return new Agent({
    connect: { timeout: options.connectMs },
    connections: MOST_CONNECTIONS,
    // Cutting one answer must cut one socket: over HTTP/2 the provider would only see a reset stream.
    allowH2: false,
    // Waiting is limited per request by `openHttp`.
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: 20_000,
  });
}

/**
 * Sends a request and waits for the head of the answer. One abort covers connecting, the head and the body, and
 * reaches the socket at once; nothing is left behind after `close` or a thrown error. Redirects are not followed.
 * @throws HttpTimeoutError, the signal's reason, or undici's error where there is no connection.
 */
export function openHttp(
  deps: { readonly clock: Clock; readonly dispatcher: Dispatcher },
  options: HttpRequestOptions,
): Promise<HttpExchange> {
  const dispatched = toDispatchOptions(options);
  const exchange = new Exchange(deps.clock, options);
  deps.dispatcher.dispatch(dispatched, exchange);
  return exchange.headArrived;
}

function toDispatchOptions({ url, method, headers, body }: HttpRequestOptions): Dispatcher.DispatchOptions {
  const { origin, pathname, search } = typeof url === 'string' ? new URL(url) : url;
  const options = { origin, path: `${pathname}${search}`, method, headers, body: body ?? null };
  if (!isLargeBody(body)) return options;
  // Undici takes whatever can be iterated, which its types don't say.
  return Object.assign(options, {
    headers: { ...headers, 'content-length': String(body.length) },
    body: writeLargeBody(body),
  });
}

/** Many answers go on in the same turn of the loop. */
const inTurn = createTurnBatch();

/** Bytes that wait for their reader; beyond this the socket has to wait. */
const MAX_HELD_BYTES = 64 * 1024;
/** So much is handed on at once: files come in many pieces in a turn of the loop, and should not gather. */
const LARGE_BYTES = 16 * 1024;

/**
 * An answer as it arrives: undici tells it, its owner reads. Undici's own streams and promises would cost more than all that is done with
 * it here; so would functions that are made anew for each request, which is why it is a class.
 */
class Exchange implements HttpExchange, Dispatcher.DispatchHandler {
  status = 0;
  headers: IncomingHttpHeaders = {};
  readonly #head = Promise.withResolvers<HttpExchange>();
  readonly #pieces: Buffer[] = [];
  readonly #guard: Guard;
  readonly #clock: Clock;
  readonly #connectMs: number;
  #heldBytes = 0;
  #controller: Dispatcher.DispatchController | undefined;
  #reader: PromiseWithResolvers<Buffer | undefined> | undefined;
  /** Set when nothing more comes. */
  #end: { readonly error?: unknown } | undefined;
  #isTellingSoon = false;

  constructor(clock: Clock, { timeouts, signal }: HttpRequestOptions) {
    this.#clock = clock;
    this.#connectMs = timeouts.connectMs;
    this.#guard = new Guard(clock, timeouts, signal, (reason) => this.#cut(reason));
  }

  /** Resolves with the exchange itself. */
  get headArrived(): Promise<HttpExchange> {
    return this.#head.promise;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#end) controller.abort(toError(this.#end.error));
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    // 1xx only announce.
    if (status < 200) return;
    this.status = status;
    this.headers = headers;
    this.#tellSoon();
  }

  onResponseData(controller: Dispatcher.DispatchController, piece: Buffer): void {
    // After a pause undici hands out its own empty buffer, which is not its reader's to free.
    if (piece.length === 0) return;
    this.#pieces.push(piece);
    this.#heldBytes += piece.length;
    if (this.#reader) {
      this.#guard.endWait();
      if (this.#heldBytes < LARGE_BYTES) this.#tellSoon();
      else this.#tell();
    }
    if (this.#heldBytes > MAX_HELD_BYTES) controller.pause();
  }

  onResponseEnd(): void {
    this.#finish({});
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#finish({ error });
  }

  markStarted(): void {
    this.#guard.markStarted();
  }

  /** One at a time. */
  read(): Promise<Buffer | undefined> {
    const held = this.#takeHeld();
    if (held) return Promise.resolve(held);
    if (this.#end) return 'error' in this.#end ? Promise.reject(this.#end.error) : Promise.resolve(undefined);
    this.#reader = Promise.withResolvers();
    this.#guard.beginWait();
    return this.#reader.promise;
  }

  async readAll(maxBytes: number): Promise<Buffer> {
    const pieces: Buffer[] = [];
    let size = 0;
    for (let piece = this.#takeHeld() ?? (await this.read()); piece; piece = this.#takeHeld() ?? (await this.read())) {
      size += piece.length;
      if (size > maxBytes) {
        this.close();
        throw new HttpSizeError(`the answer is larger than ${maxBytes} bytes`);
      }
      pieces.push(piece);
    }
    return pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces);
  }

  async awaitEnd(patienceMs: number): Promise<void> {
    const cancel = this.#clock.setTimer(patienceMs, () => this.close());
    try {
      while ((await this.read()) !== undefined);
    } catch {
      // Cut by the patience or by the other side: what mattered had arrived.
    } finally {
      cancel();
    }
  }

  close(): void {
    if (!this.#end) this.#cut(new Error('the exchange is closed'));
  }

  /** Settles whatever is waited for and known by now. */
  readonly #tell = () => {
    this.#isTellingSoon = false;
    if (this.status > 0) this.#head.resolve(this);
    else if (this.#end) this.#head.reject(toHttpError(this.#end.error, this.#connectMs));
    const reader = this.#reader;
    if (!reader || (this.#pieces.length === 0 && !this.#end)) return;
    this.#reader = undefined;
    const piece = this.#takeHeld();
    if (piece === undefined && this.#end && 'error' in this.#end) reader.reject(this.#end.error);
    else reader.resolve(piece);
  };

  #tellSoon(): void {
    if (this.#isTellingSoon) return;
    this.#isTellingSoon = true;
    inTurn(this.#tell);
  }

  #finish(how: { readonly error?: unknown }): void {
    if (this.#end) return;
    this.#end = how;
    this.#guard.release();
    this.#tellSoon();
  }

  #cut(error: unknown): void {
    if (this.#end) return;
    this.#pieces.length = 0;
    this.#finish({ error });
    this.#tell();
    this.#controller?.abort(toError(error));
  }

  /** What has come and waits; undefined where one has to wait for more. */
  #takeHeld(): Buffer | undefined {
    const piece = this.#pieces.shift();
    this.#heldBytes -= piece?.length ?? 0;
    if (this.#pieces.length === 0 && this.#controller?.paused) this.#controller.resume();
    return piece;
  }
}

function toError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error('aborted', { cause: reason });
}

/** Everything that can end an exchange early: the caller's signal and three patiences. */
class Guard {
  readonly #clock: Clock;
  readonly #timeouts: HttpTimeouts;
  readonly #signal: AbortSignal;
  readonly #onAbort: (reason: unknown) => void;
  readonly #cancelTotal: () => void;
  readonly #cancelStart: (() => void) | undefined;
  #hasStarted = false;
  #waitingSince: number | undefined;
  #cancelIdle: (() => void) | undefined;

  constructor(clock: Clock, timeouts: HttpTimeouts, signal: AbortSignal, onAbort: (reason: unknown) => void) {
    this.#clock = clock;
    this.#timeouts = timeouts;
    this.#signal = signal;
    this.#onAbort = onAbort;
    const { startMs, totalMs } = timeouts;
    this.#cancelTotal = clock.setTimer(totalMs, () => this.#giveUp('total', totalMs));
    // An answer in one piece has as long for its start as for all of it.
    if (startMs < totalMs) this.#cancelStart = clock.setTimer(startMs, () => this.#giveUp('start', startMs));
    signal.addEventListener('abort', this.#onCallerAbort, { once: true });
    if (signal.aborted) queueMicrotask(this.#onCallerAbort);
  }

  markStarted(): void {
    this.#hasStarted = true;
    this.#cancelStart?.();
  }

  beginWait(): void {
    if (!this.#hasStarted) return;
    this.#waitingSince = this.#clock.now();
    if (!this.#cancelIdle) this.#armIdle(this.#timeouts.idleMs);
  }

  endWait(): void {
    this.#waitingSince = undefined;
  }

  release(): void {
    this.#cancelTotal();
    this.#cancelStart?.();
    this.#cancelIdle?.();
    this.#signal.removeEventListener('abort', this.#onCallerAbort);
  }

  readonly #onCallerAbort = () => this.#onAbort(this.#signal.reason);

  #giveUp(phase: HttpTimeoutPhase, timeoutMs: number): void {
    this.#onAbort(new HttpTimeoutError(phase, timeoutMs));
  }

  /** One timer that looks at the clock when it fires costs less than one per read. */
  #armIdle(delayMs: number): void {
    this.#cancelIdle = this.#clock.setTimer(delayMs, () => {
      this.#cancelIdle = undefined;
      if (this.#waitingSince === undefined) return;
      const leftMs = this.#waitingSince + this.#timeouts.idleMs - this.#clock.now();
      if (leftMs > 0) this.#armIdle(leftMs);
      else this.#giveUp('idle', this.#timeouts.idleMs);
    });
  }
}

function toHttpError(error: unknown, connectMs: number): unknown {
  const isConnectTimeout = error instanceof Error && 'code' in error && error.code === 'UND_ERR_CONNECT_TIMEOUT';
  return isConnectTimeout ? new HttpTimeoutError('connect', connectMs, { cause: error }) : error;
}
