import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';

/** What pages of other sites may read beside the body. */
export const EXPOSED_HEADERS = [
  'x-request-id',
  'retry-after',
  'x-should-retry',
  // Of files.
  ...['content-disposition', 'content-length', 'content-range', 'accept-ranges', 'etag', 'last-modified'],
  ...['requests', 'tokens', 'pictures'].flatMap((budget) =>
    ['limit', 'remaining', 'reset'].map((what) => `x-ratelimit-${what}-${budget}`),
  ),
].join(', ');
/** Browsers ask again after two hours at the latest, whatever is said here. */
const PREFLIGHT_SECONDS = 7200;

/**
 * Lets pages of these origins call the API from people's browsers (CORS). Keys travel in a header that pages have to set themselves, never
 * in cookies, so a page can do no more than it has been given a key for. Nothing is allowed where no origin is named.
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
        'access-control-allow-methods': 'GET, HEAD, POST, PUT, DELETE',
        // What clients of OpenAI and browsers send changes with their versions; a list of ours would break them.
        'access-control-allow-headers': request.headers['access-control-request-headers'] ?? '*',
        'access-control-max-age': String(PREFLIGHT_SECONDS),
      })
      .send();
  });
}

/**
 * Says in the answer what the page of another site may do with it.
 * @returns false where nothing is allowed.
 */
function allowOrigin(origins: readonly string[], { origin }: IncomingHttpHeaders, response: ServerResponse): boolean {
  const isForAll = origins.includes('*');
  if (!isForAll) response.setHeader('vary', 'origin');
  if (origin === undefined || !(isForAll || origins.includes(origin))) return false;
  response.setHeader('access-control-allow-origin', isForAll ? '*' : origin);
  response.setHeader('access-control-expose-headers', EXPOSED_HEADERS);
  return true;
}
