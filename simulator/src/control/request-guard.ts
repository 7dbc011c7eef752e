import type { FastifyRequest } from 'fastify';
import { ControlFailure } from './control-failure.ts';

const READS: ReadonlySet<string> = new Set(['GET', 'HEAD']);

/**
 * Lets in only what a page on this machine asks: the `Host` must be a loopback name (a foreign name that resolves to
 * loopback is DNS rebinding), and nothing may be asked by a page of another origin: neither to write, nor to read where the server
 * lets other origins call its API.
 * @throws ControlFailure 403
 */
export function checkIsLocal(request: FastifyRequest): void {
  const host = request.headers.host ?? '';
  if (!isLoopback(URL.parse(`http://${host}`)?.hostname ?? '')) {
    throw new ControlFailure(403, 'foreign_host', 'the playground answers on loopback addresses only');
  }
  const { origin, 'sec-fetch-site': site } = request.headers;
  const isForeign = origin !== undefined && URL.parse(origin)?.host !== host;
  // Links of other sites may lead here.
  const isForeignWrite = !READS.has(request.method) && (site === 'cross-site' || site === 'same-site');
  if (isForeign || isForeignWrite)
    throw new ControlFailure(403, 'foreign_origin', 'only the playground page itself may do this');
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);
}
