import type { IncomingHttpHeaders } from 'node:http';
import { Agent, type Dispatcher, request } from 'undici';
import type { Clock } from './clock.ts';
import { leaveOnAbort } from './leave-on-abort.ts';

/** Which limit was exceeded: for the connection, for the start of the answer, between two reads, for the whole exchange. */
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
  /** Until a connection stands; enforced by the agent, here for the error. */
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
   * The next bytes; undefined at the end. One call at a time.
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
const MAX_CONNECTIONS = 2048;

/** A pool of keep-alive connections with a limit on connecting. The caller closes it. */
export function createHttpAgent(options: { readonly connectMs: number }): Agent {
  return new Agent({
    connect: { timeout: options.connectMs },
    connections: MAX_CONNECTIONS,
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
  { url, method, headers, body, timeouts, signal }: HttpRequestOptions,
): Promise<HttpExchange> {
  const deadlines = new Deadlines(deps.clock, timeouts, signal);
  try {
    const { dispatcher } = deps;
    const asked = request(url, { dispatcher, method, headers, body: body ?? null, signal: deadlines.signal });
    // Undici notices an abort only when a connection stands.
    return new Exchange(await leaveOnAbort(asked, deadlines.signal), deadlines, deps.clock);
  } catch (error) {
    deadlines.release();
    throw deadlines.signal.aborted ? deadlines.signal.reason : toHttpError(error, timeouts.connectMs);
  }
}

function toHttpError(error: unknown, connectMs: number): unknown {
  const isConnectTimeout = error instanceof Error && 'code' in error && error.code === 'UND_ERR_CONNECT_TIMEOUT';
  return isConnectTimeout ? new HttpTimeoutError('connect', connectMs, { cause: error }) : error;
}

class Exchange implements HttpExchange {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly #body: Dispatcher.ResponseData['body'];
  readonly #chunks: AsyncIterator<Buffer>;
  readonly #deadlines: Deadlines;
  readonly #clock: Clock;

  constructor({ statusCode, headers, body }: Dispatcher.ResponseData, deadlines: Deadlines, clock: Clock) {
    this.status = statusCode;
    this.headers = headers;
    this.#body = body;
    this.#chunks = body[Symbol.asyncIterator]();
    this.#deadlines = deadlines;
    this.#clock = clock;
    // A body that breaks off while nobody reads it has its error told by the next read.
    body.on('error', () => {});
    body.once('close', () => deadlines.release());
  }

  markStarted(): void {
    this.#deadlines.markStarted();
  }

  async read(): Promise<Buffer | undefined> {
    const endWait = this.#deadlines.beginWait();
    try {
      const { value, done } = await this.#chunks.next();
      return done ? undefined : value;
    } catch (error) {
      throw this.#deadlines.signal.aborted ? this.#deadlines.signal.reason : error;
    } finally {
      endWait();
    }
  }

  async readAll(maxBytes: number): Promise<Buffer> {
    const chunks: Buffer[] = [];
    let size = 0;
    for (let chunk = await this.read(); chunk; chunk = await this.read()) {
      size += chunk.length;
      if (size > maxBytes) {
        this.close();
        throw new HttpSizeError(`the answer is larger than ${maxBytes} bytes`);
      }
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
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
    this.#deadlines.release();
    this.#body.destroy();
  }
}

/** Everything that can end an exchange early: the caller's signal and three time limits. */
class Deadlines {
  /** Aborts with the caller's reason or an HttpTimeoutError. */
  readonly signal: AbortSignal;
  readonly #timeout = new AbortController();
  readonly #clock: Clock;
  readonly #idleMs: number;
  readonly #cancelTotal: () => void;
  readonly #cancelStart: () => void;
  #hasStarted = false;

  constructor(clock: Clock, { startMs, idleMs, totalMs }: HttpTimeouts, callerSignal: AbortSignal) {
    this.signal = AbortSignal.any([callerSignal, this.#timeout.signal]);
    this.#clock = clock;
    this.#idleMs = idleMs;
    this.#cancelTotal = this.#abortAfter('total', totalMs);
    this.#cancelStart = this.#abortAfter('start', startMs);
  }

  markStarted(): void {
    this.#hasStarted = true;
    this.#cancelStart();
  }

  /** @returns ends the wait. */
  beginWait(): () => void {
    return this.#hasStarted ? this.#abortAfter('idle', this.#idleMs) : () => {};
  }

  release(): void {
    this.#cancelTotal();
    this.#cancelStart();
  }

  #abortAfter(phase: HttpTimeoutPhase, timeoutMs: number): () => void {
    return this.#clock.setTimer(timeoutMs, () => this.#timeout.abort(new HttpTimeoutError(phase, timeoutMs)));
  }
}
