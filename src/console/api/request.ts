import { parseJson } from '../../lib/json/json.ts';
import { readToken, storeToken } from './session.ts';

/** A refused request, or one that did not reach the service. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** HTTP status; 0: no connection. */
  readonly status: number;
  /** Such as `not_found`; `offline` without a connection. */
  readonly code: string;
  /** The field that was refused. */
  readonly param: string | undefined;
  constructor(status: number, code: string, message: string, param?: string) {
    super(message);
    this.status = status;
    this.code = code;
    this.param = param;
  }
}

export interface RequestOptions {
  /** Sent as JSON. */
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** Sends the cookie of the playground's link. Default: no cookies. */
  readonly credentials?: 'omit' | 'same-origin';
}

/** Code of the error for more rows than one request may read. */
export const TOO_MANY_ROWS = 'too_many_rows';
/** Code of the error for a query that takes longer than one may. */
export const QUERY_TOO_SLOW = 'query_too_slow';
const NOT_FOUND = 404;

/**
 * Sends a request to the service and reads its answer.
 * @param path below the service's base address: `api/me`.
 * @throws ApiError; the signal's reason.
 */
export async function request<Answer>(method: string, path: string, options: RequestOptions = {}): Promise<Answer> {
  return (await requestTagged<Answer>(method, path, options)).body;
}

/** The body of an answer with the version of the resource. */
export interface Tagged<Body> {
  readonly body: Body;
  /** For `If-Match`; undefined if the answer has no `ETag`. */
  readonly tag: string | undefined;
}

/** Like `request`, and reads the `ETag` as well. */
export async function requestTagged<Body>(
  method: string,
  path: string,
  options: RequestOptions = {},
): Promise<Tagged<Body>> {
  const response = await send(method, path, options);
  const text = await response.text();
  if (!response.ok) throw toError(response.status, text);
  // Proxies that compress answers mark the tag as weak.
  const tag = response.headers.get('etag')?.replace(/^W\//, '');
  return { body: (text === '' ? undefined : JSON.parse(text)) as Body, tag };
}

/** Deletes a resource, which another tab may have deleted already. @throws ApiError */
export async function requestDeletion(path: string): Promise<void> {
  try {
    await request('DELETE', path);
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== NOT_FOUND) throw error;
  }
}

/** Loads a file, such as an export. @throws ApiError */
export async function download(path: string): Promise<Blob> {
  const response = await send('GET', path, {});
  if (response.ok) return response.blob();
  throw toError(response.status, await response.text());
}

/** Address of the service; the page is at `/console/`. */
export function toUrl(path: string): string {
  return new URL(`../${path}`, location.href.split('#', 1)[0]).href;
}

const TIMEOUT_MS = 30_000;

async function send(
  method: string,
  path: string,
  { body, headers, signal, credentials = 'omit' }: RequestOptions,
): Promise<Response> {
  const token = readToken();
  const signals = [AbortSignal.timeout(TIMEOUT_MS), ...(signal ? [signal] : [])];
  try {
    return await fetch(toUrl(path), {
      method,
      credentials,
      signal: AbortSignal.any(signals),
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    throw new ApiError(0, 'offline', error instanceof Error ? error.message : '');
  }
}

interface ErrorBody {
  readonly error?: { readonly message?: string; readonly code?: string; readonly param?: string | null };
}

/** Code of the error for a session that has ended. */
const ENDED = 'session_ended';

/** Returns the error of a refused request. @param text body of the answer. */
export function toError(status: number, text: string): ApiError {
  const { message = '', code = 'unknown', param } = (parseJson(text) as ErrorBody | undefined)?.error ?? {};
  if (code === ENDED) storeToken(undefined);
  return new ApiError(status, code, message, param ?? undefined);
}
