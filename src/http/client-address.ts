import { isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';

/** An address as some proxies write it: with a port, an IPv6 address then in brackets. */
const WITH_PORT = /^(?:\[([^\]]+)\]|([^:]+))(?::\d+)?$/;

/**
 * The IP address that a request comes from: that of the connection, or what the nearest proxies say that are trusted (`trustedProxies` of the
 * server). Where they name no address it is theirs. Empty where the connection is gone.
 */
export function toClientAddress(request: FastifyRequest): string {
  const said = request.ip ?? '';
  if (isIP(said) !== 0) return said;
  const [, ipv6, ipv4] = WITH_PORT.exec(said) ?? [];
  const address = ipv6 ?? ipv4 ?? '';
  return isIP(address) === 0 ? (request.socket.remoteAddress ?? '') : address;
}
