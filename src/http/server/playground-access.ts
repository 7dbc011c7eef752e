import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { createNetworkMatcher } from '../../lib/http/network.ts';

/** The playground, whose page and console sign in without Telegram. */
export interface PlaygroundOwner {
  /** Telegram id of the user as whom the console signs in. */
  readonly userId: number;
  /**
   * Secret of the links in the start report, needed if the service listens on other addresses than loopback. Undefined:
   * all programs of this machine have access.
   */
  readonly secret: string | undefined;
}

type Secret = Pick<PlaygroundOwner, 'secret'>;

/** Cookie that replaces the secret of a link after its first request. */
const COOKIE = 'switchboard-playground';

/** Returns whether a request comes from the operator, and from a page of the service itself. */
export function isFromOperator(request: FastifyRequest, owner: Secret): boolean {
  return isFromOwnPage(request) && isKnown(request, owner);
}

/**
 * Returns whether a request comes, through no proxy, from a page of the service itself that was opened by a loopback
 * name. A foreign name that resolves to loopback is DNS rebinding.
 */
export function isFromOwnPage(request: FastifyRequest): boolean {
  const { host = '', origin, 'sec-fetch-site': site } = request.headers;
  const isOwnPage = origin === undefined || URL.parse(origin)?.host === host;
  const isForeign = site === 'cross-site' || site === 'same-site';
  return isLoopbackName(host) && isOwnPage && !isForeign && !isForwarded(request);
}

/** Serves the routes of this context to the operator only, others get a 403. */
export function installPlaygroundAccess(server: FastifyInstance, owner: Secret): void {
  server.addHook('onRequest', async (request, reply) => {
    if (isKnown(request, owner) && !isForwarded(request)) return;
    const hint = owner.secret === undefined ? '' : ' Open the link that the service printed when it started.';
    return reply
      .code(403)
      .type('text/plain; charset=utf-8')
      .send(`The playground is for the operator of this service, without a proxy in between.${hint}\n`);
  });
}

/**
 * Accepts links with the secret, `?secret=…`, on all pages: stores it in a cookie and redirects to the same address
 * without it, so that it does not get into the history of the browser.
 */
export function installPlaygroundLinks(server: FastifyInstance, secret: string): void {
  server.addHook('onRequest', async (request, reply) => {
    if (request.method !== 'GET' || !request.url.includes('secret=')) return;
    const { pathname, searchParams } = new URL(request.url, 'http://localhost');
    if (!isSame(searchParams.get('secret') ?? '', secret)) return;
    return reply
      .header('set-cookie', `${COOKIE}=${secret}; Path=/; HttpOnly; SameSite=Lax`)
      .header('cache-control', 'no-store')
      .redirect(pathname.replace(/^\/+/, '/'));
  });
}

const isLoopbackAddress = createNetworkMatcher(['127.0.0.0/8', '::1']);

/** Returns whether a request comes from this machine or, where there is a secret, with it. */
function isKnown({ headers, socket }: FastifyRequest, { secret }: Secret): boolean {
  if (secret === undefined) return isLoopbackAddress(socket.remoteAddress ?? '');
  return isSame(readCookie(headers.cookie ?? '') ?? '', secret);
}

/** Headers of reverse proxies. */
const FORWARDING_HEADER =
  /^(?:x-forwarded\b.*|forwarded|via|x-(?:real|client|cluster-client|original)-ip|true-client-ip|cf-connecting-ip)$/;

function isForwarded({ headers, raw }: FastifyRequest): boolean {
  // By default, nginx speaks HTTP 1.0, which browsers do not, and sends none of the headers.
  return raw.httpVersion === '1.0' || Object.keys(headers).some((name) => FORWARDING_HEADER.test(name));
}

function readCookie(cookies: string): string | undefined {
  const prefix = `${COOKIE}=`;
  return cookies
    .split(';')
    .map((cookie) => cookie.trim())
    .find((cookie) => cookie.startsWith(prefix))
    ?.slice(prefix.length);
}

function isLoopbackName(host: string): boolean {
  const hostname = URL.parse(`http://${host}`)?.hostname ?? '';
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);
}

function isSame(given: string, expected: string): boolean {
  // `timingSafeEqual` needs inputs of equal length.
  const hash = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(given), hash(expected));
}
