import { isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';

/** Address with a port, as some proxies write it; IPv6 addresses are then in brackets. */
const WITH_PORT = /^(?:\[([^\]]+)\]|([^:]+))(?::\d+)?$/;

/**
 * Returns the client's IP address: that of the connection, or the one reported by trusted proxies (`trustedProxies` of
 * the server). Falls back to the proxy's own address. Empty if the connection is closed.
 */
export function toClientAddress(request: FastifyRequest): string {
  const reported = request.ip ?? '';
  if (isIP(reported) !== 0) return reported;
  const [, ipv6, ipv4] = WITH_PORT.exec(reported) ?? [];
  const address = ipv6 ?? ipv4 ?? '';
  return isIP(address) === 0 ? (request.socket.remoteAddress ?? '') : address;
}

/** Returns `http://<host>:<port>` under which this machine reaches its own server. */
export function toOwnUrl({ address, port }: { readonly address: string; readonly port: number }): string {
  // The wildcard addresses include the loopback address.
  const host = address === '0.0.0.0' ? '127.0.0.1' : address === '::' ? '::1' : address;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
