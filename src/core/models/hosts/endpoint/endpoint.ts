import { LRUCache } from 'lru-cache';
import type { Clock } from '../../../../lib/clock.ts';
import { HeldBytesFullError } from '../../../../lib/http/held-bytes.ts';
import {
  type HttpDeps,
  type HttpRequestOptions,
  type HttpResponse,
  HttpSizeError,
  HttpTimeoutError,
  openHttp,
} from '../../../../lib/http/http-client.ts';
import { toRefusal } from '../../../../protocols/error-answer.ts';
import {
  findSoonest,
  ProviderError,
  ProviderStreamError,
  ProviderTimeoutError,
  ProviderUnavailableError,
  type TimeoutPhase,
} from '../../contract/model-errors.ts';

/** Timeouts in milliseconds. */
export interface ProviderTimeouts {
  /** Until the connection is established. */
  readonly connectMs: number;
  /** From the request to the first event of a stream. For a completion without streaming, `totalMs` applies. */
  readonly firstTokenMs: number;
  /** Between two reads of a response. */
  readonly idleMs: number;
  /** The whole request. */
  readonly totalMs: number;
}

export const DEFAULT_PROVIDER_TIMEOUTS: ProviderTimeouts = {
  connectMs: 10_000,
  firstTokenMs: 60_000,
  idleMs: 60_000,
  totalMs: 600_000,
};

/** A request to the host. The endpoint adds the key. */
interface EndpointRequest {
  readonly method: 'GET' | 'POST';
  readonly url: string | URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** Model whose rate limits apply: keys rest for each model separately. */
  readonly model: string;
  /** Timeout from the request to `markStarted`, in milliseconds. */
  readonly startMs: number;
  /** Header for the key, instead of `Authorization: Bearer`. */
  readonly keyHeader?: string | undefined;
}

/** The host of an endpoint. */
export interface EndpointConfig {
  /** Name of the provider, for errors. */
  readonly name: string;
  /** Tried in order. A key that is refused or has reached its limit rests. Empty if the host needs none. */
  readonly apiKeys: readonly string[];
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Values that are removed from the host's messages. Default: the keys. */
  readonly secrets?: readonly string[];
}

/** Connection to one host: adds keys, applies timeouts, converts errors to the classes of `model-errors.ts`. */
export type Endpoint = ReturnType<typeof createEndpoint>;

/** First character of JSON and HTML. */
const WHOLE_BODY = /["<[{]/;

export function createEndpoint(deps: HttpDeps, config: EndpointConfig, timeouts: ProviderTimeouts) {
  const { name, apiKeys, secrets = apiKeys } = config;
  const keys = createKeyRing(deps.clock, apiKeys);

  /**
   * Converts a failed read to the signal's reason, or to a ProviderError for the time before or after the first event.
   * `HeldBytesFullError` is no fault of the host and stays as it is.
   */
  const toError = (error: unknown, signal: AbortSignal, isUnderWay = false): unknown => {
    if (signal.aborted) return signal.reason;
    if (error instanceof HeldBytesFullError) return error;
    const known = toProviderError(name, error);
    if (!isUnderWay || known instanceof ProviderStreamError) return known;
    return new ProviderStreamError(name, `${known.message}, in the middle of the answer`, { cause: known });
  };

  const toOptions = (request: EndpointRequest, key: string | undefined, signal: AbortSignal): HttpRequestOptions => ({
    method: request.method,
    url: request.url,
    headers: { 'user-agent': 'switchboard', ...config.headers, ...request.headers, ...keyHeaders(request, key) },
    body: request.body,
    timeouts: { ...timeouts, startMs: request.startMs },
    signal,
  });
  /**
   * Retries once on a fresh connection: a kept-alive connection that the host has just closed does not mean that the
   * host is down.
   */
  const openAgain = async (options: HttpRequestOptions, error: unknown) => {
    const { signal } = options;
    if (signal.aborted || !isStaleConnection(error)) throw toError(error, signal);
    try {
      return await openHttp(deps, options);
    } catch (again) {
      throw toError(again, signal);
    }
  };

  return {
    clock: deps.clock,
    timeouts,
    toError,
    /**
     * Returns whether the body is a stream of events, by its first character: some hosts stream although they should not,
     * or with another content type.
     * @throws ProviderError; the signal's reason. The response is closed then.
     */
    async startsWithEvents(http: HttpResponse, signal: AbortSignal): Promise<boolean> {
      try {
        const first = await http.peek();
        return first !== undefined && !WHOLE_BODY.test(first);
      } catch (error) {
        http.close();
        throw toError(error, signal);
      }
    },
    /**
     * Sends a request and resolves with the headers of a 2xx response. Tries the next key if one is refused.
     * @throws ProviderError; the signal's reason.
     */
    async open(request: EndpointRequest, signal: AbortSignal): Promise<HttpResponse> {
      const errors: ProviderError[] = [];
      for (const key of keys.candidates(request.model)) {
        const options = toOptions(request, key, signal);
        let http: HttpResponse;
        try {
          http = await openHttp(deps, options);
        } catch (error) {
          http = await openAgain(options, error);
        }
        if (http.status >= 200 && http.status < 300) return http;
        const text = await readErrorText(http);
        if (signal.aborted) throw signal.reason;
        const answer = { status: http.status, headers: http.headers, text };
        const { error, keyFault } = toRefusal(name, answer, deps.clock.now(), secrets);
        if (!keyFault) throw error;
        keys.rest(key, keyFault.scope === 'model' ? request.model : undefined, keyFault.restMs);
        errors.push(error);
      }
      // The key that is available first determines when the host can be tried again.
      throw (
        findSoonest(errors) ?? errors.at(-1) ?? new ProviderUnavailableError(name, `${name} has no key to ask with`)
      );
    },
  };
}

function keyHeaders(request: EndpointRequest, key: string | undefined): Record<string, string> {
  if (key === undefined) return {};
  return request.keyHeader ? { [request.keyHeader]: key } : { authorization: `Bearer ${key}` };
}

const MAX_ERROR_BYTES = 256 * 1024;

/** Returns the text of an error response, or an empty string if it can't be read. */
async function readErrorText(http: HttpResponse): Promise<string> {
  try {
    return (await http.readAll(MAX_ERROR_BYTES)).toString('utf8');
  } catch {
    return '';
  } finally {
    http.close();
  }
}

/** How a connection fails that the other side has closed: by its end, or by a reset if bytes were under way. */
const CLOSED_CODES: ReadonlySet<unknown> = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);

function isStaleConnection(error: unknown): boolean {
  if (!(error instanceof Error) || !('code' in error) || !CLOSED_CODES.has(error.code) || !('socket' in error))
    return false;
  const { socket } = error;
  // Bytes read before mean that it has served an earlier request.
  return typeof socket === 'object' && socket !== null && 'bytesRead' in socket && Number(socket.bytesRead) > 0;
}

function toProviderError(name: string, error: unknown): ProviderError {
  if (error instanceof ProviderError) return error;
  if (error instanceof HttpTimeoutError) {
    const phase: TimeoutPhase = error.phase === 'start' ? 'first-token' : error.phase;
    return new ProviderTimeoutError(name, phase, error.timeoutMs, { cause: error });
  }
  if (error instanceof HttpSizeError)
    return new ProviderUnavailableError(name, `${name}: ${error.message}`, { cause: error, isBadAnswer: true });
  const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : '';
  return new ProviderUnavailableError(name, `${name} could not be reached${code}`, { cause: error });
}

/** The API keys of one account, used in order. A key that was refused or has reached its limit rests for a while. */
interface KeyRing {
  /**
   * Returns the keys to try for a model. Resting keys are last, the soonest available first, so there is always one to
   * try. `undefined` means a request without a key.
   */
  candidates(model: string): readonly (string | undefined)[];
  /** Rests a key for one model, or for every model if `model` is undefined. */
  rest(key: string | undefined, model: string | undefined, restMs: number): void;
}

const MAX_RESTS = 1000;

function createKeyRing(clock: Clock, apiKeys: readonly string[]): KeyRing {
  if (apiKeys.length <= 1) return { candidates: () => [apiKeys[0]], rest: () => {} };
  /** Ends of rests in milliseconds since the epoch, by `<key number>` and `<key number> <model>`. */
  const rests = new LRUCache<string, number>({ max: MAX_RESTS });
  const freeAt = (number: number, model: string) =>
    Math.max(rests.get(`${number}`) ?? 0, rests.get(`${number} ${model}`) ?? 0);

  return {
    candidates(model) {
      const now = clock.now();
      return apiKeys
        .map((key, number) => ({ key, waitMs: Math.max(0, freeAt(number, model) - now) }))
        .sort((a, b) => a.waitMs - b.waitMs)
        .map(({ key }) => key);
    },
    rest(key, model, restMs) {
      const number = key === undefined ? -1 : apiKeys.indexOf(key);
      if (number < 0) return;
      rests.set(model === undefined ? `${number}` : `${number} ${model}`, clock.now() + restMs);
    },
  };
}
