import { createHmac } from 'node:crypto';
import { toHousehold } from '../../lib/network.ts';

/** A keyed hash of an address, in base64url: the same sender has the same, and without the key nobody finds the address. */
export function hashAddress(key: Buffer, address: string): string {
  return createHmac('sha256', key).update(toHousehold(address)).digest('base64url').slice(0, 22);
}
