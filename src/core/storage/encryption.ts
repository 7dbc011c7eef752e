import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { releaseBuffer } from '../../lib/release-buffer.ts';

/** Bytes of a file in one segment: what is authenticated, and therefore read, at once. */
export const SEGMENT_BYTES = 65_536;
const TAG_BYTES = 16;
/** Bytes of a whole segment once it is encrypted. */
export const SEALED_SEGMENT_BYTES = SEGMENT_BYTES + TAG_BYTES;
const NONCE_PREFIX_BYTES = 7;
const WRAP_NONCE_BYTES = 12;
const ALGORITHM = 'aes-256-gcm';
const OPTIONS = { authTagLength: TAG_BYTES };

/** The bytes are not the ones that were encrypted here, or are in another place, order or number. */
export class NotAuthenticError extends Error {
  override readonly name = 'NotAuthenticError';
}

/** What one part of a file is encrypted with. */
export interface PartSecret {
  /** 32 bytes; of the file. */
  readonly key: Buffer;
  readonly fileId: string;
  /** From 0. */
  readonly position: number;
  /** 7 random bytes, never used for another encryption with this key. */
  readonly noncePrefix: Buffer;
}

/** Encrypts and decrypts the segments of one part. */
export interface PartCipher {
  /** Encrypts a segment into `target` at `offset`, where `plain.length + 16` bytes are free. Returns the offset behind it. */
  seal(segment: SegmentPlace, plain: Buffer, target: Buffer, offset: number): number;
  /** @throws NotAuthenticError. */
  open(segment: SegmentPlace, sealed: Buffer): Buffer;
}

export interface SegmentPlace {
  /** From 0, in its part. */
  readonly index: number;
  /** Whether its part ends with it. */
  readonly isLast: boolean;
}

/**
 * AES-256-GCM by the STREAM construction (Hoang, Reyhanitabar, Rogaway, Vizár: "Online Authenticated-Encryption and its
 * Nonce-Reuse Misuse-Resistance", 2015). The nonce is the part's prefix, the segment's number (4 bytes) and whether it is
 * the last (1 byte), so segments that are swapped, repeated or missing at the end are refused. The part's place in the file
 * is authenticated with each of them, so whole parts can't be exchanged either.
 */
export function createPartCipher(secret: PartSecret): PartCipher {
  const place = Buffer.from(`${secret.fileId}:${secret.position}`, 'utf8');
  const nonce = Buffer.alloc(NONCE_PREFIX_BYTES + 5);
  secret.noncePrefix.copy(nonce);
  const setPlace = ({ index, isLast }: SegmentPlace) => {
    nonce.writeUInt32BE(index, NONCE_PREFIX_BYTES);
    nonce.writeUInt8(isLast ? 1 : 0, NONCE_PREFIX_BYTES + 4);
  };
  return {
    seal(segment, plain, target, offset) {
      setPlace(segment);
      const cipher = createCipheriv(ALGORITHM, secret.key, nonce, OPTIONS).setAAD(place);
      const sealed = cipher.update(plain);
      const end = offset + sealed.copy(target, offset);
      cipher.final();
      releaseBuffer(sealed);
      return end + cipher.getAuthTag().copy(target, end);
    },
    open(segment, sealed) {
      if (sealed.length <= TAG_BYTES) throw new NotAuthenticError('A segment is cut short');
      setPlace(segment);
      const end = sealed.length - TAG_BYTES;
      const decipher = createDecipheriv(ALGORITHM, secret.key, nonce, OPTIONS).setAAD(place);
      decipher.setAuthTag(sealed.subarray(end));
      const plain = decipher.update(sealed.subarray(0, end));
      return finish(plain, () => decipher.final());
    },
  };
}

/** A new nonce prefix for one encryption of one part. */
export function createNoncePrefix(): Buffer {
  return randomBytes(NONCE_PREFIX_BYTES);
}

/** How many segments a part of `sizeBytes` has. */
export function countSegments(sizeBytes: number): number {
  return Math.ceil(sizeBytes / SEGMENT_BYTES);
}

/** How many bytes a part of `sizeBytes` has once it is encrypted. */
export function toSealedSize(sizeBytes: number): number {
  return sizeBytes + countSegments(sizeBytes) * TAG_BYTES;
}

/** The largest part whose encrypted form has at most `sealedBytes`. */
export function toPlainSize(sealedBytes: number): number {
  const whole = Math.floor(sealedBytes / SEALED_SEGMENT_BYTES);
  return whole * SEGMENT_BYTES + Math.max(0, (sealedBytes % SEALED_SEGMENT_BYTES) - TAG_BYTES);
}

/** Encrypts a file's key for the database. Bound to the file's id: a row with another file's key is refused. */
export function wrapKey(wrappingKey: Buffer, fileId: string, key: Buffer): Buffer {
  const nonce = randomBytes(WRAP_NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, wrappingKey, nonce, OPTIONS).setAAD(Buffer.from(fileId, 'utf8'));
  return Buffer.concat([nonce, cipher.update(key), cipher.final(), cipher.getAuthTag()]);
}

/** @throws NotAuthenticError where it was not wrapped with this key for this file. */
export function unwrapKey(wrappingKey: Buffer, fileId: string, wrapped: Buffer): Buffer {
  if (wrapped.length <= WRAP_NONCE_BYTES + TAG_BYTES) throw new NotAuthenticError('A wrapped key is cut short');
  const nonce = wrapped.subarray(0, WRAP_NONCE_BYTES);
  const end = wrapped.length - TAG_BYTES;
  const decipher = createDecipheriv(ALGORITHM, wrappingKey, nonce, OPTIONS).setAAD(Buffer.from(fileId, 'utf8'));
  decipher.setAuthTag(wrapped.subarray(end));
  const key = decipher.update(wrapped.subarray(WRAP_NONCE_BYTES, end));
  return finish(key, () => decipher.final());
}

function finish(plain: Buffer, verify: () => unknown): Buffer {
  try {
    verify();
    return plain;
  } catch (cause) {
    throw new NotAuthenticError('The bytes are not the ones that were encrypted', { cause });
  }
}
