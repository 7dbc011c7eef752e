import { isIP, isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * The network that an IP address is in, `203.0.113.0/24`, or `2001:db8:1::/48`; an IPv4 address in IPv6 clothes is one.
 * A whole IPv4 address (32 bits) is written without its length. What is no address stays as it is.
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

/** One household or machine: an IPv4 address, or the first 64 bits of an IPv6 address, because everybody has as many of the rest as they like. */
export function toHousehold(address: string): string {
  return toNetwork(address, { ipv4: 32, ipv6: 64 });
}

/**
 * The networks under which a client is counted, the narrowest first: the address for IPv4, the /64 and the /48 for IPv6.
 * One customer of a provider can have a whole /48, which has 65 536 networks of 64 bits.
 */
export function toClientNetworks(address: string): readonly string[] {
  if (isIPv4(address)) return [address];
  const narrow = toHousehold(address);
  return narrow.endsWith('/64') ? [narrow, toNetwork(address, { ipv4: 32, ipv6: 48 })] : [narrow];
}

/** Returns a test for addresses that are in one of `networks` (addresses and CIDR blocks). */
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

/** `203.0.113.7`, `10.0.0.0/8`, `2001:db8::/32`; not `/0`, which is everybody. */
export function isNetwork(text: string): boolean {
  return ipaddr.isValidCIDR(text) ? !/\/0+$/.test(text) : isIP(text) !== 0;
}

function maskOf(bits: number): number {
  return 0xff & (0xff << (8 - Math.min(8, Math.max(0, bits))));
}
