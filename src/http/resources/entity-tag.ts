import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { HttpError } from '../../protocols/http-error.ts';

/** Returns the strong entity tag of a text. */
export function toEntityTag(text: string): string {
  return `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`;
}

/**
 * Sets the `ETag` of a resource and returns its body.
 * @param content what counts as a change of the resource. Default: the whole body.
 */
export function tagged<Body extends object>(reply: FastifyReply, body: Body, content: object = body): Body {
  reply.header('etag', toEntityTag(JSON.stringify(content)));
  return body;
}

/**
 * Checks `If-Match` of a request against the resource as it is now.
 * @throws HttpError 412 if the resource has changed since the client read it.
 */
export function requireMatch({ headers }: FastifyRequest, current: object): void {
  const wanted = headers['if-match'];
  if (wanted === undefined || wanted.trim() === '*') return;
  const tags = wanted.split(',').map((tag) => tag.trim());
  if (tags.includes(toEntityTag(JSON.stringify(current)))) return;
  throw new HttpError({
    status: 412,
    type: 'invalid_request_error',
    code: 'precondition_failed',
    message: 'The resource has changed since you read it. Read it again.',
  });
}
