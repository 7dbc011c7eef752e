import type { AddressInfo } from 'node:net';

/** `http://<host>:<port>` by which this machine reaches a server that listens there. */
export function toOwnUrl({ address, port }: AddressInfo): string {
  // All addresses includes this machine's own.
  const host = address === '0.0.0.0' ? '127.0.0.1' : address === '::' ? '::1' : address;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
