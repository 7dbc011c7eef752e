import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { BlobPart } from './blob-part.ts';
import { createNoncePrefix, createPartCipher, listSegments, SEALED_SEGMENT_BYTES, toSealedSize } from './encryption.ts';

/** An encrypted part in a blob. */
export interface SealedPart {
  readonly part: BlobPart;
  /** Offset of its first byte in the blob. */
  readonly blobOffset: number;
  readonly noncePrefix: Buffer;
}

/** Encrypted parts in sequence. `bytes` is a view of the buffer that they were encrypted into. */
export interface SealedBlob {
  readonly bytes: Buffer;
  readonly parts: readonly SealedPart[];
}

/** Encrypting this many segments takes about a millisecond; then the event loop runs. */
const SEGMENTS_PER_BATCH = 16;

/** Encrypts parts into the buffer, in order. Calls `onTaken` of each when its segments have been read. */
export async function sealBlob(parts: readonly BlobPart[], buffer: Buffer): Promise<SealedBlob> {
  const sealed: SealedPart[] = [];
  let end = 0;
  for (const part of parts) {
    const sealedPart = { part, blobOffset: end, noncePrefix: createNoncePrefix() };
    const cipher = cipherOf(sealedPart);
    for (const segment of listSegments(part.sizeBytes)) {
      const plain = part.segments[segment.index]?.subarray(0, segment.sizeBytes);
      if (!plain) throw new Error('A part has fewer segments than bytes');
      end = cipher.seal(segment, plain, buffer, end);
      if (segment.index % SEGMENTS_PER_BATCH === SEGMENTS_PER_BATCH - 1) await yieldToEventLoop();
    }
    sealed.push(sealedPart);
    part.onTaken();
  }
  return { bytes: buffer.subarray(0, end), parts: sealed };
}

/** Encrypts a blob again in place, with new nonces. */
export async function resealBlob(blob: SealedBlob): Promise<SealedBlob> {
  const parts: SealedPart[] = [];
  for (const old of blob.parts) {
    const sealedPart = { ...old, noncePrefix: createNoncePrefix() };
    const [opening, sealing] = [cipherOf(old), cipherOf(sealedPart)];
    for (const segment of listSegments(old.part.sizeBytes)) {
      const start = old.blobOffset + segment.index * SEALED_SEGMENT_BYTES;
      const plain = opening.open(segment, blob.bytes.subarray(start, start + toSealedSize(segment.sizeBytes)));
      sealing.seal(segment, plain, blob.bytes, start);
      if (segment.index % SEGMENTS_PER_BATCH === SEGMENTS_PER_BATCH - 1) await yieldToEventLoop();
    }
    parts.push(sealedPart);
  }
  return { bytes: blob.bytes, parts };
}

function cipherOf({ part, noncePrefix }: SealedPart) {
  return createPartCipher({ key: part.key, fileId: part.fileId, position: part.position, noncePrefix });
}
