import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';

/** Response headers that pages of other origins may read. */
export const EXPOSED_HEADERS = [
  'x-request-id',
  'request-id',
  'retry-after',
  'x-should-retry',
  'idempotent-replayed',
  // Headers of files.
  ...['content-disposition', 'content-length', 'content-range', 'accept-ranges', 'etag', 'last-modified'],
  ...['requests', 'tokens', 'pictures'].flatMap((budget) =>
    ['limit', 'remaining', 'reset'].map((what) => `x-ratelimit-${what}-${budget}`),
  ),
  ...['requests', 'tokens'].flatMap((budget) =>
    ['limit', 'remaining', 'reset'].map((what) => `anthropic-ratelimit-${budget}-${what}`),
  ),
].join(', ');
/** Maximum that Chromium accepts. */
const PREFLIGHT_SECONDS = 7200;

/**
 * Enables CORS for these origins. Keys are sent in a header that a page must set itself, never in cookies, so a page
 * can only use keys it was given. Without origins nothing is allowed.
 * @param origins `https://chat.example.com`, or `*` for all.
 */
export function installCrossOrigin(server: FastifyInstance, origins: readonly string[]): void {
  if (origins.length === 0) return;
  server.addHook('onRequest', async (request, reply) => {
    // On the raw response, so that streams have them too.
    if (!allowOrigin(origins, request.headers, reply.raw)) return;
    const method = request.headers['access-control-request-method'];
    if (request.method !== 'OPTIONS' || method === undefined) return;
    return reply
      .code(204)
      .headers({
        'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
        // The headers sent by OpenAI clients and browsers change with their versions; a fixed list would break them.
        'access-control-allow-headers': request.headers['access-control-request-headers'] ?? '*',
        'access-control-max-age': String(PREFLIGHT_SECONDS),
      })
      .send();
  });
}

/**
 * Sets the CORS headers of a response.
 * @returns false if the origin is not allowed.
 */
function allowOrigin(origins: readonly string[], { origin }: IncomingHttpHeaders, response: ServerResponse): boolean {
  const isForAll = origins.includes('*');
  if (!isForAll) response.setHeader('vary', 'origin');
  if (origin === undefined || !(isForAll || origins.includes(origin))) return false;
  response.setHeader('access-control-allow-origin', isForAll ? '*' : origin);
  response.setHeader('access-control-expose-headers', EXPOSED_HEADERS);
  return true;
}
