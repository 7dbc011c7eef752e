import type { FastifyRequest } from 'fastify';

/**
 * Returns whether a request comes from a page of this service, opened by a loopback address. A foreign name that resolves
 * to loopback (DNS rebinding), pages of other origins and requests through a proxy are excluded.
 */
export function isFromThisMachine({ headers }: FastifyRequest): boolean {
  const { host = '', origin, 'x-forwarded-for': forwardedFor, 'sec-fetch-site': site } = headers;
  const hostname = URL.parse(`http://${host}`)?.hostname ?? '';
  const isOwnPage = origin === undefined || URL.parse(origin)?.host === host;
  const isForeign = site === 'cross-site' || site === 'same-site';
  return isLoopback(hostname) && isOwnPage && !isForeign && forwardedFor === undefined;
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);
}
