import { createHmac } from 'node:crypto';
import { isIPv6 } from 'node:net';

/** A keyed hash of an address, in base64url: the same sender has the same, and without the key nobody finds the address. */
export function hashAddress(key: Buffer, address: string): string {
  return createHmac('sha256', key).update(toSender(address)).digest('base64url').slice(0, 22);
}

/** One household or machine: an IPv4 address, or the first 64 bits of an IPv6 address, because everybody has as many of the rest as they like. */
function toSender(address: string): string {
  const text = address.replace(/%.*$/, '');
  if (!isIPv6(text)) return text;
  // The URL parser writes every IPv6 address in one way: RFC 5952.
  const [head = '', tail] = new URL(`http://[${text}]`).hostname.slice(1, -1).split('::');
  const groups = head === '' ? [] : head.split(':');
  const rest = tail === undefined || tail === '' ? [] : tail.split(':');
  const all = tail === undefined ? groups : [...groups, ...Array(8 - groups.length - rest.length).fill('0'), ...rest];
  const isIPv4 = all.slice(0, 5).every((group) => group === '0') && all[5] === 'ffff';
  if (!isIPv4) return all.slice(0, 4).join(':');
  return all
    .slice(6)
    .flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 255])
    .join('.');
}
