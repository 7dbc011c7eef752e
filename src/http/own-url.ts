/** Returns `http://<host>:<port>` under which this machine reaches its own server. */
export function toOwnUrl({ address, port }: { readonly address: string; readonly port: number }): string {
  // The wildcard addresses include the loopback address.
  const host = address === '0.0.0.0' ? '127.0.0.1' : address === '::' ? '::1' : address;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
