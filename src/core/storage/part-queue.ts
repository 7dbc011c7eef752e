import type { BlobPart } from './blob-part.ts';
import { toSealedSize } from './encryption.ts';

/** Parts that wait for a blob. */
export type PartQueue = ReturnType<typeof createPartQueue>;

interface WaitingPart {
  readonly part: BlobPart;
  readonly addedAt: number;
}

/** Keeps the parts of each upload in order; `take` is round-robin over uploads. */
export function createPartQueue() {
  const byFile = new Map<string, readonly WaitingPart[]>();
  let sealedBytes = 0;

  const put = (fileId: string, waiting: readonly WaitingPart[]) => {
    const before = byFile.get(fileId) ?? [];
    sealedBytes += sum(waiting) - sum(before);
    // Deletes the entry first, so the upload is served after the others.
    if (waiting.length < before.length) byFile.delete(fileId);
    if (waiting.length > 0) byFile.set(fileId, waiting);
  };
  /** Takes all parts of one upload. */
  const drop = (fileId: string): readonly BlobPart[] => {
    const dropped = byFile.get(fileId) ?? [];
    put(fileId, []);
    return dropped.map(({ part }) => part);
  };

  return {
    /** Total size of the parts after encryption. */
    get sealedBytes() {
      return sealedBytes;
    },
    /** Time when the oldest waiting part was added, in milliseconds; infinite if the queue is empty. */
    get oldestAt() {
      let oldest = Number.POSITIVE_INFINITY;
      for (const [first] of byFile.values()) if (first) oldest = Math.min(oldest, first.addedAt);
      return oldest;
    },
    add: (part: BlobPart, addedAt: number): void =>
      put(part.fileId, [...(byFile.get(part.fileId) ?? []), { part, addedAt }]),
    /** Takes parts that fit into `maxBytes` together, round-robin over uploads. Takes at least one if there is any. */
    take(maxBytes: number): readonly BlobPart[] {
      const taken: BlobPart[] = [];
      let left = maxBytes;
      for (let countBefore = -1; countBefore < taken.length; ) {
        countBefore = taken.length;
        for (const [fileId, [first, ...rest]] of [...byFile]) {
          if (!first || (taken.length > 0 && toSealedSize(first.part.sizeBytes) > left)) continue;
          left -= toSealedSize(first.part.sizeBytes);
          taken.push(first.part);
          put(fileId, rest);
        }
      }
      return taken;
    },
    drop,
    clear: (): readonly BlobPart[] => [...byFile.keys()].flatMap(drop),
  };
}

function sum(waiting: readonly WaitingPart[]): number {
  return waiting.reduce((total, { part }) => total + toSealedSize(part.sizeBytes), 0);
}
