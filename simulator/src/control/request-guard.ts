import type { FastifyRequest } from 'fastify';
import { ControlFailure } from './control-failure.ts';

const READS: ReadonlySet<string> = new Set(['GET', 'HEAD']);

/**
 * Refuses requests that do not come from this machine: `Host` must be a loopback name, because a foreign name that
 * resolves to loopback is DNS rebinding. Requests of pages from another origin are refused for reads, too, because the
 * surrounding server may allow CORS for its API.
 * @throws ControlFailure 403
 */
export function checkIsLocal(request: FastifyRequest): void {
  const host = request.headers.host ?? '';
  if (!isLoopback(URL.parse(`http://${host}`)?.hostname ?? '')) {
    throw new ControlFailure(403, 'foreign_host', 'the playground answers at localhost and 127.0.0.1 only');
  }
  const { origin, 'sec-fetch-site': site } = request.headers;
  const isForeign = origin !== undefined && URL.parse(origin)?.host !== host;
  // Links on other sites may open the page.
  const isForeignWrite = !READS.has(request.method) && (site === 'cross-site' || site === 'same-site');
  if (isForeign || isForeignWrite)
    throw new ControlFailure(403, 'foreign_origin', 'only the playground page itself may do this');
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);
}
