import { ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { toErrorBody } from './error-response.ts';
import type { HttpErrorFacts } from './http-error.ts';

/**
 * Answers a malformed HTTP request with the usual error body and closes the connection. If another response is in
 * progress on the connection, closes it without an answer.
 */
export function answerConnectionError(error: Error & { readonly code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable || isAnswering(socket)) {
    socket.destroy();
    return;
  }
  endWith(socket, describe(error.code));
}

/** Answers a connection above its client's limit with 429 and closes it. */
export function refuseConnection(socket: Socket): void {
  const message = 'Too many connections from your address are open.';
  const headers = { 'retry-after': '10' };
  endWith(socket, { status: 429, type: 'rate_limit_error', code: 'too_many_connections', message, headers });
}

function endWith(socket: Socket, facts: HttpErrorFacts): void {
  const body = Buffer.from(JSON.stringify(toErrorBody(facts)));
  const head = [
    `HTTP/1.1 ${facts.status} ${STATUS_CODES[facts.status]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${body.length}`,
    'Connection: close',
    ...Object.entries(facts.headers ?? {}).map(([name, value]) => `${name}: ${value}`),
  ];
  socket.end(Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), body]), () => socket.destroy());
}

/** Returns true if a response is in progress. Node has no public API for it; its own handler reads the same field. */
function isAnswering(socket: Socket): boolean {
  const response: unknown = Reflect.get(socket, '_httpMessage');
  return response instanceof ServerResponse && response.headersSent;
}

function describe(code: string | undefined): HttpErrorFacts {
  const type = 'invalid_request_error';
  switch (code) {
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
