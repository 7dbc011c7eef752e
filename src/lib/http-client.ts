import type { IncomingHttpHeaders } from 'node:http';
import { Agent, type Dispatcher, request as undiciRequest } from 'undici';
import type { Clock } from './clock.ts';

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
  readonly url: string;
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
  const guard = createGuard(deps.clock, options.timeouts, options.signal);
  try {
    const pending = undiciRequest(options.url, {
      dispatcher: deps.dispatcher,
      method: options.method,
      headers: { ...options.headers },
      body: options.body ?? null,
      signal: guard.signal,
    });
    const response = await guard.orAborted(pending, (late) => late.body.on('error', () => {}).destroy());
    return toExchange(deps.clock, response, guard);
  } catch (error) {
    guard.release();
    throw toHttpError(error, options.timeouts);
  }
}

function toExchange(clock: Clock, response: Dispatcher.ResponseData, guard: Guard): HttpExchange {
  const { body } = response;
  // Destroying an unread body emits an error that nobody waits for.
  body.on('error', () => {});
  const iterator: AsyncIterator<Buffer> = body[Symbol.asyncIterator]();
  const close = () => {
    guard.release();
    if (!body.destroyed) body.destroy();
  };
  const read = async () => {
    guard.beginWait();
    try {
      const next = await guard.orAborted(iterator.next());
      return next.done ? undefined : next.value;
    } catch (error) {
      close();
      throw error;
    } finally {
      guard.endWait();
    }
  };
  return {
    status: response.statusCode,
    headers: response.headers,
    markStarted: guard.markStarted,
    read,
    async readAll(maxBytes) {
      const pieces: Buffer[] = [];
      let size = 0;
      for (let piece = await read(); piece !== undefined; piece = await read()) {
        size += piece.length;
        if (size > maxBytes) {
          close();
          throw new HttpSizeError(`the answer is larger than ${maxBytes} bytes`);
        }
        pieces.push(piece);
      }
      return Buffer.concat(pieces);
    },
    async awaitEnd(patienceMs) {
      const cancel = clock.setTimer(patienceMs, close);
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

/** One abort for everything that can end an exchange early: the caller's signal and three patiences. */
interface Guard {
  readonly signal: AbortSignal;
  markStarted(): void;
  beginWait(): void;
  endWait(): void;
  /** The promise, or a rejection in the moment of the abort; what comes too late goes to `onLate`. */
  orAborted<T>(promise: Promise<T>, onLate?: (value: T) => void): Promise<T>;
  release(): void;
}

function createGuard(clock: Clock, timeouts: HttpTimeouts, callerSignal: AbortSignal): Guard {
  const controller = new AbortController();
  let rejectWaiter: ((reason: unknown) => void) | undefined;
  const abort = (reason: unknown) => {
    if (controller.signal.aborted) return;
    controller.abort(reason);
    rejectWaiter?.(reason);
    release();
  };
  const onCallerAbort = () => abort(callerSignal.reason);
  const cancelTotal = clock.setTimer(timeouts.totalMs, () => abort(new HttpTimeoutError('total', timeouts.totalMs)));
  const cancelStart = clock.setTimer(timeouts.startMs, () => abort(new HttpTimeoutError('start', timeouts.startMs)));
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
      else abort(new HttpTimeoutError('idle', timeouts.idleMs));
    });
  };

  const release = () => {
    cancelTotal();
    cancelStart();
    cancelIdle?.();
    callerSignal.removeEventListener('abort', onCallerAbort);
  };
  if (callerSignal.aborted) onCallerAbort();
  else callerSignal.addEventListener('abort', onCallerAbort, { once: true });

  return {
    signal: controller.signal,
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
    orAborted(promise, onLate) {
      return new Promise((resolve, reject) => {
        if (controller.signal.aborted) reject(controller.signal.reason);
        else rejectWaiter = reject;
        promise.then(
          (value) => {
            if (controller.signal.aborted) onLate?.(value);
            resolve(value);
          },
          (error: unknown) => reject(controller.signal.aborted ? controller.signal.reason : error),
        );
      });
    },
    release,
  };
}

function toHttpError(error: unknown, { connectMs }: HttpTimeouts): unknown {
  const isConnectTimeout = error instanceof Error && 'code' in error && error.code === 'UND_ERR_CONNECT_TIMEOUT';
  return isConnectTimeout ? new HttpTimeoutError('connect', connectMs, { cause: error }) : error;
}
