import type { FastifyRequest } from 'fastify';
import { requireJsonHeaders } from '../server/bodies/json-body.ts';

/** Checks the headers of a request that has a body, before it is read. @throws HttpError 415 */
export function requireJsonBody({ method, headers }: FastifyRequest): void {
  if (method !== 'GET' && method !== 'HEAD' && method !== 'DELETE') requireJsonHeaders(headers);
}
