import { timingSafeEqual } from 'node:crypto';
import { createSecret, hashSecret } from '../../lib/ids.ts';

/** Creates an owner key and its SHA-256 hash, the only form in which it is stored. */
export function createOwnerKey(): { readonly ownerKey: string; readonly ownerKeyHash: string } {
  const ownerKey = createSecret();
  return { ownerKey, ownerKeyHash: hashSecret(ownerKey) };
}

/** Compares in constant time. */
export function isOwnerKey(ownerKey: string, ownerKeyHash: string): boolean {
  return timingSafeEqual(Buffer.from(hashSecret(ownerKey), 'hex'), Buffer.from(ownerKeyHash, 'hex'));
}
