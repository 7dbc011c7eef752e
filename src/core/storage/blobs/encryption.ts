import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { releaseBuffer } from '../../../lib/files/release-buffer.ts';

/** Plaintext bytes in one segment, the unit of authentication and therefore of reading. */
export const SEGMENT_BYTES = 65_536;
const TAG_BYTES = 16;
/** Bytes of a full segment after encryption. */
export const SEALED_SEGMENT_BYTES = SEGMENT_BYTES + TAG_BYTES;
const NONCE_PREFIX_BYTES = 7;
const WRAP_NONCE_BYTES = 12;
const ALGORITHM = 'aes-256-gcm';
const OPTIONS = { authTagLength: TAG_BYTES };

/** Thrown when bytes were changed, moved, reordered or cut after encryption, or the key is wrong. */
export class NotAuthenticError extends Error {
  override readonly name = 'NotAuthenticError';
}

/** Key material of one part of a file. */
export interface PartSecret {
  /** Key of the file, 32 bytes. */
  readonly key: Buffer;
  readonly fileId: string;
  /** Position of the part in the file, from 0. */
  readonly position: number;
  /** 7 random bytes. Never reuse them with this key for another encryption. */
  readonly noncePrefix: Buffer;
}

export interface SegmentLocation {
  /** Index of the segment in its part, from 0. */
  readonly index: number;
  /** Whether it is the last segment of its part. */
  readonly isLast: boolean;
}

/**
 * AES-256-GCM by the STREAM construction (Hoang, Reyhanitabar, Rogaway, Vizár: "Online Authenticated-Encryption and its
 * Nonce-Reuse Misuse-Resistance", 2015). The nonce is the part's prefix, the segment's number (4 bytes) and whether it
 * is the last one (1 byte), so swapped, repeated and missing segments are detected. The file id and the part's position
 * are additional authenticated data, so whole parts can't be exchanged either.
 */
export function createPartCipher(secret: PartSecret) {
  const additionalData = Buffer.from(`${secret.fileId}:${secret.position}`, 'utf8');
  const nonce = Buffer.alloc(NONCE_PREFIX_BYTES + 5);
  secret.noncePrefix.copy(nonce);
  const setNonce = ({ index, isLast }: SegmentLocation) => {
    nonce.writeUInt32BE(index, NONCE_PREFIX_BYTES);
    nonce.writeUInt8(isLast ? 1 : 0, NONCE_PREFIX_BYTES + 4);
  };
  return {
    /** Encrypts a segment into `target` at `offset`, where `plain.length + 16` bytes are free. Returns the end offset. */
    seal(segment: SegmentLocation, plain: Buffer, target: Buffer, offset: number): number {
      setNonce(segment);
      const cipher = createCipheriv(ALGORITHM, secret.key, nonce, OPTIONS).setAAD(additionalData);
      const sealed = cipher.update(plain);
      const end = offset + sealed.copy(target, offset);
      cipher.final();
      releaseBuffer(sealed);
      return end + cipher.getAuthTag().copy(target, end);
    },
    /** @throws NotAuthenticError */
    open(segment: SegmentLocation, sealed: Buffer): Buffer {
      if (sealed.length <= TAG_BYTES) throw new NotAuthenticError('A segment is cut short');
      setNonce(segment);
      const end = sealed.length - TAG_BYTES;
      const decipher = createDecipheriv(ALGORITHM, secret.key, nonce, OPTIONS).setAAD(additionalData);
      decipher.setAuthTag(sealed.subarray(end));
      const plain = decipher.update(sealed.subarray(0, end));
      return finish(plain, () => decipher.final());
    },
  };
}

/** Creates a random nonce prefix for one encryption of one part. */
export function createNoncePrefix(): Buffer {
  return randomBytes(NONCE_PREFIX_BYTES);
}

/** Returns the number of segments in a part of `sizeBytes`. */
export function countSegments(sizeBytes: number): number {
  return Math.ceil(sizeBytes / SEGMENT_BYTES);
}

/** Lists the segments of a part of `sizeBytes`, with their sizes before encryption. */
export function* listSegments(sizeBytes: number): Generator<SegmentLocation & { readonly sizeBytes: number }> {
  const count = countSegments(sizeBytes);
  for (let index = 0; index < count; index++) {
    const isLast = index === count - 1;
    yield { index, isLast, sizeBytes: isLast ? sizeBytes - index * SEGMENT_BYTES : SEGMENT_BYTES };
  }
}

/** Returns the encrypted size of a part of `sizeBytes`. */
export function toSealedSize(sizeBytes: number): number {
  return sizeBytes + countSegments(sizeBytes) * TAG_BYTES;
}

/** Returns the size of the largest part whose encrypted form has at most `sealedBytes`. */
export function toPlainSize(sealedBytes: number): number {
  const whole = Math.floor(sealedBytes / SEALED_SEGMENT_BYTES);
  return whole * SEGMENT_BYTES + Math.max(0, (sealedBytes % SEALED_SEGMENT_BYTES) - TAG_BYTES);
}

/**
 * Encrypts a file's key, or another small secret, for the database. It is bound to the id: in the row of another file it
 * is rejected.
 */
export function wrapKey(wrappingKey: Buffer, fileId: string, key: Buffer): Buffer {
  const nonce = randomBytes(WRAP_NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, wrappingKey, nonce, OPTIONS).setAAD(Buffer.from(fileId, 'utf8'));
  return Buffer.concat([nonce, cipher.update(key), cipher.final(), cipher.getAuthTag()]);
}

/** @throws NotAuthenticError if the key was not wrapped with this wrapping key for this file. */
export function unwrapKey(wrappingKey: Buffer, fileId: string, wrapped: Buffer): Buffer {
  if (wrapped.length <= WRAP_NONCE_BYTES + TAG_BYTES) throw new NotAuthenticError('A wrapped key is cut short');
  const nonce = wrapped.subarray(0, WRAP_NONCE_BYTES);
  const end = wrapped.length - TAG_BYTES;
  const decipher = createDecipheriv(ALGORITHM, wrappingKey, nonce, OPTIONS).setAAD(Buffer.from(fileId, 'utf8'));
  decipher.setAuthTag(wrapped.subarray(end));
  const key = decipher.update(wrapped.subarray(WRAP_NONCE_BYTES, end));
  return finish(key, () => decipher.final());
}

/** Decrypts a secret with the first of the keys that encrypted it for this file; undefined if none did. */
export function unwrapByAny(
  wrappingKeys: readonly Buffer[],
  fileId: string,
  wrapped: Buffer,
): { readonly plain: Buffer; readonly by: Buffer } | undefined {
  for (const by of wrappingKeys) {
    try {
      return { plain: unwrapKey(by, fileId, wrapped), by };
    } catch (error) {
      if (!(error instanceof NotAuthenticError)) throw error;
    }
  }
  return undefined;
}

function finish(plain: Buffer, verify: () => unknown): Buffer {
  try {
    verify();
    return plain;
  } catch (cause) {
    throw new NotAuthenticError('The bytes are not the ones that were encrypted', { cause });
  }
}
