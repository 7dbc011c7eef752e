import { timingSafeEqual } from 'node:crypto';
import { createSecret, hashSecret } from '../../lib/ids.ts';

/** A new owner key and the only form in which it is kept. */
export function createOwnerKey(): { readonly ownerKey: string; readonly ownerKeyHash: string } {
  const ownerKey = createSecret('');
  return { ownerKey, ownerKeyHash: hashSecret(ownerKey) };
}

/** Compares in constant time. */
export function isOwnerKey(ownerKey: string, ownerKeyHash: string): boolean {
  return timingSafeEqual(Buffer.from(hashSecret(ownerKey), 'hex'), Buffer.from(ownerKeyHash, 'hex'));
}
