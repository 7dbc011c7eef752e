import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { createId } from '../../lib/ids.ts';
import { HttpError } from '../../protocols/http-error.ts';
import { isMessagesUrl } from './base-address.ts';

/** `config` of a route that reads its body as a stream: the route itself calls `sendContinue` and enforces timeouts. */
export const READS_BODY_ITSELF = { readsBodyItself: true };

interface RequestHead {
  readonly httpVersion: string;
  /** Names and values by turns. */
  readonly rawHeaders: readonly string[];
  readonly headers: IncomingHttpHeaders;
}

/**
 * Checks the version, the `Host` and the `Expect` of a request.
 * @throws HttpError 400, 417 and 505.
 */
export function requireValidHead({ httpVersion, rawHeaders, headers }: RequestHead): void {
  if (httpVersion !== '1.1' && httpVersion !== '1.0') {
    const message = 'This service speaks HTTP/1.0 and HTTP/1.1.';
    throw new HttpError({ status: 505, type: 'invalid_request_error', code: 'http_version_not_supported', message });
  }
  const hostCount = countHosts(rawHeaders);
  if (hostCount > 1) throw badHost('must be sent once');
  if (hostCount === 0 && httpVersion === '1.1') throw badHost('is missing');
  if (headers.host !== undefined && !isHost(headers.host)) throw badHost('is malformed');
  if (headers.expect !== undefined && !/^\s*100-continue\s*$/i.test(headers.expect)) {
    const message = "Only 'Expect: 100-continue' is supported.";
    throw new HttpError({ status: 417, type: 'invalid_request_error', code: 'expectation_failed', message });
  }
}

/** Creates a 400 that closes the connection: a proxy may have read the request as another one. */
function badHost(problem: string): HttpError {
  return new HttpError({
    status: 400,
    type: 'invalid_request_error',
    code: 'invalid_request_error',
    message: `The header 'Host' ${problem}.`,
    headers: { connection: 'close' },
  });
}

/** Counts the lines, of which Node joins the values or drops all but the first. */
function countHosts(rawHeaders: readonly string[]): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    if (name.length === 4 && name.toLowerCase() === 'host') count += 1;
  }
  return count;
}

/** Name or address, with or without a port; empty for a request without authority. */
const HOST = /^(?:(?:\[[\da-f:.]{2,45}\]|[\w.~%-]{1,255})(?::(\d{0,5}))?)?$/i;
const MAX_PORT = 65_535;

function isHost(host: string): boolean {
  const match = HOST.exec(host);
  return match !== null && Number(match[1] ?? 0) <= MAX_PORT;
}

const REQUEST_ID_HEADER = 'x-request-id';
const SANE_REQUEST_ID = /^[\w.:+/=@-]{1,128}$/;

/** Returns the client's `x-request-id` if it is short and plain, else a new id. */
export function toRequestId(request: IncomingMessage): string {
  const clientRequestId = request.headers[REQUEST_ID_HEADER];
  return typeof clientRequestId === 'string' && SANE_REQUEST_ID.test(clientRequestId)
    ? clientRequestId
    : createId('req_');
}

/** Sets the headers of every response, on the raw response so that streams have them too. */
export function setCommonHeaders(response: ServerResponse, { id, url }: Pick<FastifyRequest, 'id' | 'url'>): void {
  response.setHeader(REQUEST_ID_HEADER, id);
  if (isMessagesUrl(url)) response.setHeader('request-id', id);
  response.setHeader('x-content-type-options', 'nosniff');
}

/** Returns whether the route of a request has `READS_BODY_ITSELF`. */
export function readsBodyItself({ routeOptions }: FastifyRequest): boolean {
  const { config } = routeOptions;
  return config !== undefined && Reflect.get(config, 'readsBodyItself') === true;
}
