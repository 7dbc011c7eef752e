import type { IncomingHttpHeaders } from 'node:http';
import { Agent, buildConnector, type Dispatcher } from 'undici';
import type { Clock } from '../clock.ts';
import { decodeContent } from './decode-content.ts';
import type { HeldBytes, Hold } from './held-bytes.ts';
import { ResponseReceiver } from './response-receiver.ts';

/**
 * Phase whose timeout expired: connecting, until the start of the response, between two reads, or the whole request.
 */
export type HttpTimeoutPhase = 'connect' | 'start' | 'idle' | 'total';

/** Thrown when the server is too slow. */
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

/** Thrown when a response is larger than allowed. */
export class HttpSizeError extends Error {
  override readonly name = 'HttpSizeError';
}

/** Timeouts in milliseconds. */
interface HttpTimeouts {
  /** Connection timeout. Enforced by the agent; here only for the error. */
  readonly connectMs: number;
  /** From the call until `markStarted`. */
  readonly startMs: number;
  /** A single wait for bytes after `markStarted`. Time between reads does not count. */
  readonly idleMs: number;
  /** The whole request. */
  readonly totalMs: number;
}

export interface HttpRequestOptions {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly url: string | URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Buffer | undefined;
  readonly timeouts: HttpTimeouts;
  readonly signal: AbortSignal;
}

/** A response whose body is read by the caller, who must `close` it. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Ends the start timeout: from now on only the idle and total timeouts apply. */
  markStarted(): void;
  /**
   * Returns the next bytes, undefined at the end. Not reentrant.
   * @throws HttpTimeoutError, the signal's reason, or the socket's error if the body breaks off.
   */
  read(): Promise<Buffer | undefined>;
  /**
   * Returns the first character of the body that is not white space, and leaves it unread; undefined if there is
   * none.
   * @throws the errors of `read`.
   */
  peek(): Promise<string | undefined>;
  /**
   * Reads the rest of the body, which counts as held: in the current request until that ends, otherwise until `close`.
   * @throws HttpSizeError above `maxBytes`; HeldBytesFullError; the errors of `read`.
   */
  readAll(maxBytes: number): Promise<Buffer>;
  /** Reads and discards the rest of the body for at most `patienceMs`, so that the connection can be reused. */
  awaitEnd(patienceMs: number): Promise<void>;
  /** Releases socket, timers and listeners, aborting an unfinished body. Idempotent. */
  close(): void;
}

/**
 * Maximum number of connections to one host: a thousand answers in chats and a thousand of the API may stream
 * concurrently, each on its own connection.
 */
const MAX_CONNECTIONS = 2048;

/** Creates a pool of keep-alive connections with a connection timeout. The caller must close it. */
export function createHttpAgent(options: { readonly connectMs: number }): Agent {
  return new Agent({
    connect: createConnector(options.connectMs),
    connections: MAX_CONNECTIONS,
    // Aborting a response must close its socket: over HTTP/2 the provider would only see a reset stream.
    allowH2: false,
    // `openHttp` enforces the timeouts of each request.
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: 20_000,
  });
}

/** Connections whose failures name their `socket` as undici's own errors do. A reset by the other side names none. */
function createConnector(connectMs: number): buildConnector.connector {
  const connect = buildConnector({ timeout: connectMs });
  return (options, callback) =>
    connect(options, (error, socket) => {
      if (error) return callback(error, null);
      // Before undici's own listeners, which hand the error to the requests.
      socket.on('error', (failure) => void Object.assign(failure, { socket: { bytesRead: socket.bytesRead } }));
      callback(null, socket);
    });
}

export interface HttpDeps {
  readonly clock: Clock;
  readonly dispatcher: Dispatcher;
  /** Counts bodies that are read whole. Default: they are not counted. */
  readonly heldBytes?: HeldBytes | undefined;
}

/**
 * Sends a request and waits for the response headers. An abort applies to connecting, headers and body and closes the
 * socket at once. All resources are released after `close` or a thrown error. Redirects are not followed. Bodies are
 * requested without compression; compressed ones are decompressed while they are read.
 * @throws HttpTimeoutError, the signal's reason, or undici's error if there is no connection.
 */
export async function openHttp(
  deps: HttpDeps,
  { url, method, headers, body, timeouts, signal }: HttpRequestOptions,
): Promise<HttpResponse> {
  signal.throwIfAborted();
  const receiver = new ResponseReceiver(() => deadlines.release());
  const deadlines = new Deadlines(deps.clock, { ...timeouts, signal, abort: (reason) => receiver.abort(reason) });
  try {
    const { origin, pathname, search } = typeof url === 'string' ? new URL(url) : url;
    const sent = { 'accept-encoding': 'identity', ...headers };
    deps.dispatcher.dispatch({ origin, path: pathname + search, method, headers: sent, body: body ?? null }, receiver);
    return new OpenHttpResponse(await receiver.head, receiver, { ...deps, deadlines });
  } catch (error) {
    deadlines.release();
    throw toHttpError(error, timeouts.connectMs);
  }
}

function toHttpError(error: unknown, connectMs: number): unknown {
  const isConnectTimeout = error instanceof Error && 'code' in error && error.code === 'UND_ERR_CONNECT_TIMEOUT';
  return isConnectTimeout ? new HttpTimeoutError('connect', connectMs, { cause: error }) : error;
}

const NEVER_CONNECTED_CODES: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'CERT_HAS_EXPIRED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'ERR_TLS_CERT_ALTNAME_INVALID',
]);

/** Returns whether a request failed before it had a connection: the server has received nothing. */
export function hasNeverConnected(error: unknown): boolean {
  if (error instanceof HttpTimeoutError) return error.phase === 'connect';
  return error instanceof Error && 'code' in error && NEVER_CONNECTED_CODES.has(error.code);
}

/** White space of JSON and event streams, and the bytes of a byte order mark. */
const WHITE_SPACE: ReadonlySet<number> = new Set([0x09, 0x0a, 0x0d, 0x20, 0xef, 0xbb, 0xbf]);

class OpenHttpResponse implements HttpResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly #receiver: ResponseReceiver;
  readonly #chunks: AsyncIterator<Buffer>;
  readonly #deadlines: Deadlines;
  /** Bytes that were only looked at. */
  #unread: Buffer | undefined;
  readonly #deps: HttpDeps;
  #hold: Hold | undefined;

  constructor(
    { status, headers }: Pick<HttpResponse, 'status' | 'headers'>,
    receiver: ResponseReceiver,
    { deadlines, ...deps }: HttpDeps & { readonly deadlines: Deadlines },
  ) {
    this.status = status;
    this.headers = headers;
    this.#receiver = receiver;
    this.#chunks = decodeContent(receiver, headers['content-encoding'])[Symbol.asyncIterator]();
    this.#deadlines = deadlines;
    this.#deps = deps;
  }

  markStarted(): void {
    this.#deadlines.markStarted();
  }

  async read(): Promise<Buffer | undefined> {
    const unread = this.#unread;
    this.#unread = undefined;
    if (unread) return unread;
    const endWait = this.#deadlines.beginWait();
    try {
      const { value, done } = await this.#chunks.next();
      if (!done) return value;
      this.#deadlines.release();
      return undefined;
    } finally {
      endWait();
    }
  }

  async peek(): Promise<string | undefined> {
    for (let chunk = await this.read(); chunk; chunk = await this.read()) {
      const at = chunk.findIndex((byte) => !WHITE_SPACE.has(byte));
      if (at < 0) continue;
      this.#unread = chunk;
      return String.fromCharCode(chunk[at] ?? 0);
    }
    return undefined;
  }

  async readAll(maxBytes: number): Promise<Buffer> {
    const chunks: Buffer[] = [];
    let size = 0;
    this.#hold ??= this.#deps.heldBytes?.openForReading();
    for (let chunk = await this.read(); chunk; chunk = await this.read()) {
      size += chunk.length;
      this.#hold?.read(chunk.length);
      if (size > maxBytes) {
        this.close();
        throw new HttpSizeError(`the answer is larger than ${maxBytes} bytes`);
      }
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  }

  async awaitEnd(patienceMs: number): Promise<void> {
    const cancel = this.#deps.clock.setTimer(patienceMs, () => this.close());
    try {
      while ((await this.read()) !== undefined);
    } catch {
      // Closed by the timer or by the server; everything needed has already arrived.
    } finally {
      cancel();
    }
  }

  close(): void {
    this.#deadlines.release();
    this.#receiver.close();
    this.#hold?.release();
    this.#hold = undefined;
  }
}

/** Conditions that abort a request: the caller's signal and three timeouts. */
class Deadlines {
  readonly #clock: Clock;
  readonly #idleMs: number;
  readonly #signal: AbortSignal;
  readonly #abort: (reason: unknown) => void;
  readonly #cancelTotal: () => void;
  readonly #cancelStart: () => void;
  #hasStarted = false;

  /** @param params `abort` is called with the reason of the signal or an HttpTimeoutError. */
  constructor(
    clock: Clock,
    params: HttpTimeouts & { readonly signal: AbortSignal; readonly abort: (reason: unknown) => void },
  ) {
    const { startMs, idleMs, totalMs, signal } = params;
    this.#clock = clock;
    this.#idleMs = idleMs;
    this.#signal = signal;
    this.#abort = params.abort;
    this.#cancelTotal = this.#abortAfter('total', totalMs);
    this.#cancelStart = this.#abortAfter('start', startMs);
    // `AbortSignal.any` would keep all objects of the request until the next full garbage collection.
    signal.addEventListener('abort', this.#leave, { once: true });
  }

  markStarted(): void {
    this.#hasStarted = true;
    this.#cancelStart();
  }

  /** Starts the idle timeout. @returns a function that ends it. */
  beginWait(): () => void {
    return this.#hasStarted ? this.#abortAfter('idle', this.#idleMs) : () => {};
  }

  release(): void {
    this.#cancelTotal();
    this.#cancelStart();
    this.#signal.removeEventListener('abort', this.#leave);
  }

  readonly #leave = (): void => this.#abort(this.#signal.reason);

  #abortAfter(phase: HttpTimeoutPhase, timeoutMs: number): () => void {
    return this.#clock.setTimer(timeoutMs, () => this.#abort(new HttpTimeoutError(phase, timeoutMs)));
  }
}
