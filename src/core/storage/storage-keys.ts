import { createHmac, hkdfSync } from 'node:crypto';
import { toNetworkKey } from '../../lib/http/network.ts';
import { unwrapByAny } from './blobs/encryption.ts';

/** Keys derived from the operator's encryption keys, one for each use. */
export interface StorageKeys {
  /** Encrypts the keys of files. */
  readonly wrapping: Buffer;
  /** Decrypt keys of files that former encryption keys have encrypted. */
  readonly formerWrapping: readonly Buffer[];
  /** Hashes addresses. */
  readonly addresses: Buffer;
}

/** @throws RangeError if a key does not have 32 bytes. */
export function deriveStorageKeys(encryptionKey: Buffer, formerKeys: readonly Buffer[] = []): StorageKeys {
  if ([encryptionKey, ...formerKeys].some(({ length }) => length !== 32))
    throw new RangeError('An encryption key must have 32 bytes');
  return {
    wrapping: deriveKey(encryptionKey, 'file keys'),
    formerWrapping: formerKeys.map((key) => deriveKey(key, 'file keys')),
    addresses: deriveKey(encryptionKey, 'addresses'),
  };
}

/** Decrypts the key of a file with the present key or a former one; undefined if none of them encrypted it. */
export function openWrappedKey(
  { wrapping, formerWrapping }: StorageKeys,
  fileId: string,
  wrappedKey: Buffer,
): { readonly key: Buffer; readonly isFormer: boolean } | undefined {
  const opened = unwrapByAny([wrapping, ...formerWrapping], fileId, wrappedKey);
  return opened && { key: opened.plain, isFormer: opened.by !== wrapping };
}

/** Returns a key for one use, from which neither the encryption key nor those of other uses can be found. */
export function deriveKey(encryptionKey: Buffer, use: 'file keys' | 'addresses' | 'stored settings'): Buffer {
  return Buffer.from(hkdfSync('sha256', encryptionKey, '', `switchboard ${use}`, 32));
}

/**
 * Returns a keyed hash of a network address in base64url. Addresses of one IPv6 /64 have the same hash. The address
 * can't be recovered without the key.
 */
export function hashAddress(key: Buffer, address: string): string {
  return createHmac('sha256', key).update(toNetworkKey(address)).digest('base64url').slice(0, 22);
}
