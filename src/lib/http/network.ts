import { isIP, isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * Returns the network of an IP address: `203.0.113.0/24`, `2001:db8:1::/48`. IPv4-mapped IPv6 addresses count as IPv4.
 * A whole IPv4 address (32 bits) has no prefix length. Invalid addresses are returned unchanged.
 */
export function toNetwork(address: string, bits: { readonly ipv4: number; readonly ipv6: number }): string {
  if (bits.ipv4 === 32 && isIPv4(address)) return address;
  const text = address.split('%', 1)[0] ?? '';
  if (!ipaddr.isValid(text)) return text;
  const parsed = ipaddr.process(text);
  const length = parsed.kind() === 'ipv4' ? bits.ipv4 : bits.ipv6;
  const bytes = parsed.toByteArray().map((byte, at) => byte & maskOf(length - at * 8));
  const network = ipaddr.fromByteArray(bytes).toString();
  return parsed.kind() === 'ipv4' && length === 32 ? network : `${network}/${length}`;
}

/**
 * Returns the network that counts as one client: an IPv4 address, or the first 64 bits of an IPv6 address, because
 * clients can choose the remaining bits freely.
 */
export function toNetworkKey(address: string): string {
  return toNetwork(address, { ipv4: 32, ipv6: 64 });
}

/**
 * Returns the network of a client that may be stored: enough to recognize it, too little to identify a connection.
 * @param address also as `toNetworkKey` returns it.
 */
export function toStoredNetwork(address: string): string {
  return toNetwork(address.split('/', 1)[0] ?? '', { ipv4: 24, ipv6: 48 });
}

/**
 * Returns the networks under which a client is counted, the narrowest first: the address for IPv4, the /64 and the /48
 * for IPv6. One customer of a provider may have a whole /48, which contains 65 536 /64 networks.
 */
export function toClientNetworks(address: string): readonly string[] {
  if (isIPv4(address)) return [address];
  const narrow = toNetworkKey(address);
  return narrow.endsWith('/64') ? [narrow, toNetwork(address, { ipv4: 32, ipv6: 48 })] : [narrow];
}

/** Returns a function that checks whether an address is in one of `networks` (addresses and CIDR blocks). */
export function createNetworkMatcher(networks: readonly string[]): (address: string) => boolean {
  const blocks = networks.map((network) =>
    network.includes('/')
      ? ipaddr.parseCIDR(network)
      : ipaddr.parseCIDR(`${network}/${ipaddr.parse(network).kind() === 'ipv4' ? 32 : 128}`),
  );
  return (address) => {
    if (blocks.length === 0 || !ipaddr.isValid(address)) return false;
    const parsed = ipaddr.process(address);
    return blocks.some(([base, bits]) => parsed.kind() === base.kind() && parsed.match(base, bits));
  };
}

/** Returns true for `203.0.113.7`, `10.0.0.0/8`, `2001:db8::/32`; false for `/0`, which contains all addresses. */
export function isNetwork(text: string): boolean {
  return ipaddr.isValidCIDR(text) ? !/\/0+$/.test(text) : isIP(text) !== 0;
}

function maskOf(bits: number): number {
  return 0xff & (0xff << (8 - Math.min(8, Math.max(0, bits))));
}
