import type { AddressInfo } from 'node:net';

/** Returns `http://<host>:<port>` under which this machine reaches its own server. */
export function toOwnUrl({ address, port }: AddressInfo): string {
  // The wildcard addresses include the loopback address.
  const host = address === '0.0.0.0' ? '127.0.0.1' : address === '::' ? '::1' : address;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
