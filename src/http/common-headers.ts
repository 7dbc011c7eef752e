import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { createId } from '../lib/ids.ts';
import { isMessagesUrl } from './api/base-address.ts';

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
