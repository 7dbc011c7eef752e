import type { FastifyRequest } from 'fastify';
import { ControlFailure } from './control-failure.ts';

const READS: ReadonlySet<string> = new Set(['GET', 'HEAD']);

/**
 * Lets in only what a page on this machine asks: the `Host` must be a loopback name (a foreign name that resolves to
 * loopback is DNS rebinding), and a write must not come from another origin.
 * @throws ControlFailure 403
 */
export function checkIsLocal(request: FastifyRequest): void {
  const host = request.headers.host ?? '';
  if (!isLoopback(URL.parse(`http://${host}`)?.hostname ?? '')) {
    throw new ControlFailure(403, 'foreign_host', 'the playground answers on loopback addresses only');
  }
  if (READS.has(request.method)) return;
  const origin = request.headers.origin;
  const site = request.headers['sec-fetch-site'];
  const isForeign =
    (origin !== undefined && URL.parse(origin)?.host !== host) || site === 'cross-site' || site === 'same-site';
  if (isForeign) throw new ControlFailure(403, 'foreign_origin', 'writes must come from the playground page itself');
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);
}
