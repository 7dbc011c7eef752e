import { toSealedSize } from './encryption.ts';
import type { Piece } from './piece.ts';

/** Parts that wait for a blob. */
export interface PieceQueue {
  /** Total size of the parts after encryption. */
  readonly sealedBytes: number;
  /** Time when the oldest waiting part was added, in milliseconds; infinite if the queue is empty. */
  readonly oldestAt: number;
  add(piece: Piece, addedAt: number): void;
  /** Takes parts that fit into `maxBytes` together, round-robin over uploads. Takes at least one if there is any. */
  take(maxBytes: number): readonly Piece[];
  /** Takes all parts of one upload. */
  drop(fileId: string): readonly Piece[];
  clear(): readonly Piece[];
}

interface WaitingPiece {
  readonly piece: Piece;
  readonly addedAt: number;
}

/** Keeps the parts of each upload in order; `take` is round-robin over uploads. */
export function createPieceQueue(): PieceQueue {
  const byFile = new Map<string, readonly WaitingPiece[]>();
  let sealedBytes = 0;

  const put = (fileId: string, waiting: readonly WaitingPiece[]) => {
    const before = byFile.get(fileId) ?? [];
    sealedBytes += sum(waiting) - sum(before);
    // Deletes the entry first, so the upload is served after the others.
    if (waiting.length < before.length) byFile.delete(fileId);
    if (waiting.length > 0) byFile.set(fileId, waiting);
  };
  const drop = (fileId: string) => {
    const dropped = byFile.get(fileId) ?? [];
    put(fileId, []);
    return dropped.map(({ piece }) => piece);
  };

  return {
    get sealedBytes() {
      return sealedBytes;
    },
    get oldestAt() {
      let oldest = Number.POSITIVE_INFINITY;
      for (const [first] of byFile.values()) if (first) oldest = Math.min(oldest, first.addedAt);
      return oldest;
    },
    add: (piece, addedAt) => put(piece.fileId, [...(byFile.get(piece.fileId) ?? []), { piece, addedAt }]),
    take(maxBytes) {
      const taken: Piece[] = [];
      let left = maxBytes;
      for (let countBefore = -1; countBefore < taken.length; ) {
        countBefore = taken.length;
        for (const [fileId, [first, ...rest]] of [...byFile]) {
          if (!first || (taken.length > 0 && toSealedSize(first.piece.sizeBytes) > left)) continue;
          left -= toSealedSize(first.piece.sizeBytes);
          taken.push(first.piece);
          put(fileId, rest);
        }
      }
      return taken;
    },
    drop,
    clear: () => [...byFile.keys()].flatMap(drop),
  };
}

function sum(waiting: readonly WaitingPiece[]): number {
  return waiting.reduce((total, { piece }) => total + toSealedSize(piece.sizeBytes), 0);
}
