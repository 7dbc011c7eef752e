import type { IncomingMessage, ServerResponse } from 'node:http';
import { createId } from '../lib/ids.ts';

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
export function setCommonHeaders(response: ServerResponse, requestId: string): void {
  response.setHeader(REQUEST_ID_HEADER, requestId);
  response.setHeader('x-content-type-options', 'nosniff');
}
