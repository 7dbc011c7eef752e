import { createHmac } from 'node:crypto';
import { toNetworkKey } from '../../lib/network.ts';

/**
 * Returns a keyed hash of a network address in base64url. Addresses of one IPv6 /64 have the same hash. The address
 * can't be recovered without the key.
 */
export function hashAddress(key: Buffer, address: string): string {
  return createHmac('sha256', key).update(toNetworkKey(address)).digest('base64url').slice(0, 22);
}
