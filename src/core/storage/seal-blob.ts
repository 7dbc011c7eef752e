import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  countSegments,
  createNoncePrefix,
  createPartCipher,
  type PartCipher,
  SEALED_SEGMENT_BYTES,
  SEGMENT_BYTES,
  toSealedSize,
} from './encryption.ts';
import type { Piece } from './piece.ts';

/** An encrypted part in a blob. */
export interface SealedPiece {
  readonly piece: Piece;
  /** Offset of its first byte in the blob. */
  readonly blobOffset: number;
  readonly noncePrefix: Buffer;
}

/** Encrypted parts in sequence. `bytes` is a view of the buffer that they were encrypted into. */
export interface SealedBlob {
  readonly bytes: Buffer;
  readonly pieces: readonly SealedPiece[];
}

/** Encrypting this many segments takes about a millisecond; then the event loop runs. */
const SEGMENTS_A_TURN = 16;

/** Encrypts parts into the buffer, in order. Calls `onTaken` of each when its segments have been read. */
export async function sealBlob(pieces: readonly Piece[], buffer: Buffer): Promise<SealedBlob> {
  const sealed: SealedPiece[] = [];
  let end = 0;
  for (const piece of pieces) {
    const place = { piece, blobOffset: end, noncePrefix: createNoncePrefix() };
    const cipher = cipherOf(place);
    for (const segment of segmentsOf(piece)) {
      const plain = piece.segments[segment.index]?.subarray(0, segment.sizeBytes);
      if (!plain) throw new Error('A piece has fewer segments than bytes');
      end = cipher.seal(segment, plain, buffer, end);
      if (segment.index % SEGMENTS_A_TURN === SEGMENTS_A_TURN - 1) await nextTurn();
    }
    sealed.push(place);
    piece.onTaken();
  }
  return { bytes: buffer.subarray(0, end), pieces: sealed };
}

/** Encrypts a blob again in place, with new nonces. */
export async function resealBlob(blob: SealedBlob): Promise<SealedBlob> {
  const pieces: SealedPiece[] = [];
  for (const old of blob.pieces) {
    const place = { ...old, noncePrefix: createNoncePrefix() };
    const [opening, sealing] = [cipherOf(old), cipherOf(place)];
    for (const segment of segmentsOf(old.piece)) {
      const start = old.blobOffset + segment.index * SEALED_SEGMENT_BYTES;
      const plain = opening.open(segment, blob.bytes.subarray(start, start + toSealedSize(segment.sizeBytes)));
      sealing.seal(segment, plain, blob.bytes, start);
      if (segment.index % SEGMENTS_A_TURN === SEGMENTS_A_TURN - 1) await nextTurn();
    }
    pieces.push(place);
  }
  return { bytes: blob.bytes, pieces };
}

function cipherOf({ piece, noncePrefix }: SealedPiece): PartCipher {
  return createPartCipher({ key: piece.key, fileId: piece.fileId, position: piece.position, noncePrefix });
}

function* segmentsOf(piece: Piece): Generator<{ index: number; isLast: boolean; sizeBytes: number }> {
  const count = countSegments(piece.sizeBytes);
  for (let index = 0; index < count; index++) {
    const isLast = index === count - 1;
    yield { index, isLast, sizeBytes: isLast ? piece.sizeBytes - index * SEGMENT_BYTES : SEGMENT_BYTES };
  }
}
