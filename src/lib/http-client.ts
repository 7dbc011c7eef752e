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
export async function openHttp(
  deps: { readonly clock: Clock; readonly dispatcher: Dispatcher },
  options: HttpRequestOptions,
): Promise<HttpExchange> {
  const answer = createAnswer((onAbort) => createGuard(deps.clock, options.timeouts, options.signal, onAbort));
  deps.dispatcher.dispatch(toDispatchOptions(options), answer.handler);
  let head: Head;
  try {
    head = await answer.head;
  } catch (error) {
    throw toHttpError(error, options.timeouts);
  }
  const { takeHeld, read, close } = answer;
  return {
    ...head,
    markStarted: answer.markStarted,
    read,
    async readAll(maxBytes) {
      const pieces: Buffer[] = [];
      let size = 0;
      for (let piece = takeHeld() ?? (await read()); piece; piece = takeHeld() ?? (await read())) {
        size += piece.length;
        if (size > maxBytes) {
          close();
          throw new HttpSizeError(`the answer is larger than ${maxBytes} bytes`);
        }
        pieces.push(piece);
      }
      return pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces);
    },
    async awaitEnd(patienceMs) {
      const cancel = deps.clock.setTimer(patienceMs, close);
      try {
        while ((await read()) !== undefined);
      } catch {
        // Cut by the patience or by the other side: what mattered had arrived.
      } finally {
        cancel();
      }
    },
    close,
  };
}

function toDispatchOptions({ url, method, headers, body }: HttpRequestOptions): Dispatcher.DispatchOptions {
  const { origin, pathname, search } = typeof url === 'string' ? new URL(url) : url;
  const options = { origin, path: `${pathname}${search}`, method, headers: { ...headers }, body: body ?? null };
  if (!isLargeBody(body)) return options;
  // Undici takes whatever can be iterated, which its types don't say.
  return Object.assign(options, {
    headers: { ...headers, 'content-length': String(body.length) },
    body: writeLargeBody(body),
  });
}

/** Many answers go on in the same turn of the loop. */
const inTurn = createTurnBatch();

interface Head {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
}

/** Bytes that wait for their reader; beyond this the socket has to wait. */
const MAX_HELD_BYTES = 64 * 1024;
/** So much is handed on at once: files come in many pieces in a turn of the loop, and should not gather. */
const LARGE_BYTES = 16 * 1024;

/** An answer as it arrives. Undici's own streams and promises would cost more than all that is done with it here. */
function createAnswer(watch: (onAbort: (reason: unknown) => void) => Guard) {
  const head = Promise.withResolvers<Head>();
  const pieces: Buffer[] = [];
  let heldBytes = 0;
  let controller: Dispatcher.DispatchController | undefined;
  let reader: PromiseWithResolvers<Buffer | undefined> | undefined;
  let arrived: Head | undefined;
  /** Set when nothing more comes. */
  let end: { readonly error?: unknown } | undefined;
  let isTellingSoon = false;

  /** Settles whatever is waited for and known by now. */
  const tell = () => {
    isTellingSoon = false;
    if (arrived) head.resolve(arrived);
    else if (end) head.reject(end.error);
    if (!reader || (pieces.length === 0 && !end)) return;
    const waiting = reader;
    reader = undefined;
    const piece = takeHeld();
    if (piece === undefined && end && 'error' in end) waiting.reject(end.error);
    else waiting.resolve(piece);
  };
  const tellSoon = () => {
    if (isTellingSoon) return;
    isTellingSoon = true;
    inTurn(tell);
  };
  const finish = (how: { readonly error?: unknown }) => {
    if (end) return;
    end = how;
    guard.release();
    tellSoon();
  };
  const cut = (error: unknown) => {
    if (end) return;
    pieces.length = 0;
    finish({ error });
    tell();
    controller?.abort(toError(error));
  };
  const guard = watch(cut);
  const handler: Dispatcher.DispatchHandler = {
    onRequestStart(started) {
      controller = started;
      if (end) started.abort(toError(end.error));
    },
    onResponseStart(_controller, status, headers) {
      // 1xx only announce.
      if (status < 200) return;
      arrived = { status, headers };
      tellSoon();
    },
    onResponseData(_controller, piece) {
      // After a pause undici hands out its own empty buffer, which is not its reader's to free.
      if (piece.length === 0) return;
      pieces.push(piece);
      heldBytes += piece.length;
      if (reader) {
        guard.endWait();
        if (heldBytes < LARGE_BYTES) tellSoon();
        else tell();
      }
      if (heldBytes > MAX_HELD_BYTES) controller?.pause();
    },
    onResponseEnd: () => finish({}),
    onResponseError: (_controller, error) => finish({ error }),
  };
  const takeHeld = () => {
    const piece = pieces.shift();
    heldBytes -= piece?.length ?? 0;
    if (pieces.length === 0 && controller?.paused) controller.resume();
    return piece;
  };

  return {
    handler,
    head: head.promise,
    markStarted: guard.markStarted,
    /** What has come and waits; undefined where one has to wait for more. */
    takeHeld,
    /** One at a time. No async function: there is one call of it for each piece of whatever comes from elsewhere. */
    read(): Promise<Buffer | undefined> {
      const held = takeHeld();
      if (held) return Promise.resolve(held);
      if (end) return 'error' in end ? Promise.reject(end.error) : Promise.resolve(undefined);
      reader = Promise.withResolvers();
      guard.beginWait();
      return reader.promise;
    },
    close() {
      if (!end) cut(new Error('the exchange is closed'));
    },
  };
}

function toError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error('aborted', { cause: reason });
}

/** Everything that can end an exchange early: the caller's signal and three patiences. */
interface Guard {
  markStarted(): void;
  beginWait(): void;
  endWait(): void;
  release(): void;
}

function createGuard(
  clock: Clock,
  timeouts: HttpTimeouts,
  callerSignal: AbortSignal,
  onAbort: (reason: unknown) => void,
): Guard {
  const onCallerAbort = () => onAbort(callerSignal.reason);
  const giveUp = (phase: HttpTimeoutPhase, timeoutMs: number) => onAbort(new HttpTimeoutError(phase, timeoutMs));
  const cancelTotal = clock.setTimer(timeouts.totalMs, () => giveUp('total', timeouts.totalMs));
  // An answer in one piece has as long for its start as for all of it.
  const cancelStart =
    timeouts.startMs < timeouts.totalMs
      ? clock.setTimer(timeouts.startMs, () => giveUp('start', timeouts.startMs))
      : () => {};
  let hasStarted = false;
  let waitingSince: number | undefined;
  let cancelIdle: (() => void) | undefined;
  const armIdle = (delayMs: number) => {
    // One timer that looks at the clock when it fires costs less than one per read.
    cancelIdle = clock.setTimer(delayMs, () => {
      cancelIdle = undefined;
      if (waitingSince === undefined) return;
      const leftMs = waitingSince + timeouts.idleMs - clock.now();
      if (leftMs > 0) armIdle(leftMs);
      else giveUp('idle', timeouts.idleMs);
    });
  };

  callerSignal.addEventListener('abort', onCallerAbort, { once: true });
  if (callerSignal.aborted) queueMicrotask(onCallerAbort);

  return {
    markStarted() {
      hasStarted = true;
      cancelStart();
    },
    beginWait() {
      if (!hasStarted) return;
      waitingSince = clock.now();
      if (!cancelIdle) armIdle(timeouts.idleMs);
    },
    endWait() {
      waitingSince = undefined;
    },
    release() {
      cancelTotal();
      cancelStart();
      cancelIdle?.();
      callerSignal.removeEventListener('abort', onCallerAbort);
    },
  };
}

function toHttpError(error: unknown, { connectMs }: HttpTimeouts): unknown {
  const isConnectTimeout = error instanceof Error && 'code' in error && error.code === 'UND_ERR_CONNECT_TIMEOUT';
  return isConnectTimeout ? new HttpTimeoutError('connect', connectMs, { cause: error }) : error;
}
