import { type IncomingMessage, ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { createId } from '../../../lib/ids.ts';
import { type HttpErrorFacts, toErrorBody } from '../../../protocols/http-error.ts';

/** An error of Node's HTTP parser. */
interface ConnectionError extends Error {
  readonly code?: string | undefined;
  /** The bytes that were parsed, up to `bytesParsed` without a fault. Fastify's type is that of their JSON. */
  readonly rawPacket?: unknown;
  readonly bytesParsed?: number | undefined;
}

/**
 * Answers a malformed HTTP request with the usual error body and closes the connection. If a response is in progress on
 * the connection, closes it without an answer; if one to an earlier, complete request is awaited, closes it after that.
 */
export function answerConnectionError(error: ConnectionError, socket: Socket, requestId?: string): void {
  const response = findResponse(socket);
  if (error.code === 'ECONNRESET' || !socket.writable || response?.headersSent) {
    socket.destroy();
    return;
  }
  if (response?.req.complete) {
    response.shouldKeepAlive = false;
    socket.pause();
    return;
  }
  endWith(socket, describe(error), requestId);
}

/** Answers `CONNECT` with 501 and closes the connection. */
export function refuseTunnel(socket: Socket): void {
  socket.on('error', () => {});
  endWith(socket, UNKNOWN_METHOD);
}

/** Answers a connection above its client's limit with 429 and closes it. */
export function refuseConnection(socket: Socket): void {
  const message = 'Too many connections from your address are open.';
  const headers = { 'retry-after': '10' };
  endWith(socket, { status: 429, type: 'rate_limit_error', code: 'too_many_connections', message, headers });
}

function endWith(socket: Socket, facts: HttpErrorFacts, requestId = createId('req_')): void {
  const body = Buffer.from(JSON.stringify(toErrorBody(facts)));
  const head = [
    `HTTP/1.1 ${facts.status} ${STATUS_CODES[facts.status]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${body.length}`,
    `Date: ${new Date().toUTCString()}`,
    `X-Request-Id: ${requestId}`,
    'X-Content-Type-Options: nosniff',
    'Connection: close',
    ...Object.entries(facts.headers ?? {}).map(([name, value]) => `${name}: ${value}`),
  ];
  socket.end(Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), body]), () => socket.destroy());
}

/** Returns the response that is not ended yet. Node has no public API for it; its own handler reads the same field. */
function findResponse(socket: Socket): ServerResponse<IncomingMessage> | undefined {
  const response: unknown = Reflect.get(socket, '_httpMessage');
  return response instanceof ServerResponse ? response : undefined;
}

/** The answer to a method that no route has. */
export const UNKNOWN_METHOD: HttpErrorFacts = {
  status: 501,
  type: 'invalid_request_error',
  code: 'method_not_implemented',
  message: 'This service does not know the method of the request.',
};

const REQUEST_LINE = /[\w!#$%&'*+.^`|~-]{1,100} \S{1,20000} HTTP\/1\.[01]\r?\n/;
/** Longer than the beginning of any known method. */
const MAX_METHOD_START = 32;

/** Returns whether the parser failed at the method of what is a request line otherwise. */
function isUnknownMethod({ code, rawPacket, bytesParsed = 0 }: ConnectionError): boolean {
  if (code !== 'HPE_INVALID_METHOD' || !Buffer.isBuffer(rawPacket)) return false;
  return REQUEST_LINE.test(rawPacket.subarray(Math.max(0, bytesParsed - MAX_METHOD_START)).toString('latin1'));
}

function describe(error: ConnectionError): HttpErrorFacts {
  const type = 'invalid_request_error';
  if (isUnknownMethod(error)) return UNKNOWN_METHOD;
  switch (error.code) {
    case 'HPE_INVALID_VERSION':
      return {
        status: 505,
        type,
        code: 'http_version_not_supported',
        message: 'This version of HTTP is not supported.',
      };
    case 'HPE_HEADER_OVERFLOW':
      return { status: 431, type, code: 'request_headers_too_large', message: 'The headers are too large.' };
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return { status: 413, type, code: 'request_too_large', message: 'The chunk extensions are too large.' };
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return { status: 408, type, code: 'request_timeout', message: 'The request took too long to arrive.' };
    default:
      return { status: 400, type, code: 'invalid_request_error', message: 'This is not an HTTP request.' };
  }
}
