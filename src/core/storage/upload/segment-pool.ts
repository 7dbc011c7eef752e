import { SEGMENT_BYTES } from '../blobs/encryption.ts';

/** Memory that uploads receive into: a fixed number of segments shared by all uploads. */
export type SegmentPool = ReturnType<typeof createSegmentPool>;

/** Creates a pool that allocates segments on demand and reuses them. */
export function createSegmentPool(params: {
  readonly maxSegments: number;
  /** Called whenever an upload begins to wait. */
  readonly onShortage: () => void;
}) {
  const free: Buffer[] = [];
  const waiting = new Set<(segment: Buffer) => void>();
  let madeCount = 0;

  const wait = (signal: AbortSignal) =>
    new Promise<Buffer>((resolve, reject) => {
      const give = (segment: Buffer) => {
        signal.removeEventListener('abort', leave);
        resolve(segment);
      };
      const leave = () => {
        waiting.delete(give);
        reject(signal.reason);
      };
      waiting.add(give);
      signal.addEventListener('abort', leave, { once: true });
      params.onShortage();
    });

  return {
    /**
     * Returns a segment as soon as one is free, first come, first served. An upload waits for one segment at a time, so
     * uploads alternate.
     * @throws the signal's reason.
     */
    async acquire(signal: AbortSignal): Promise<Buffer> {
      signal.throwIfAborted();
      const segment = free.pop();
      if (segment) return segment;
      if (madeCount >= params.maxSegments) return wait(signal);
      madeCount++;
      return Buffer.allocUnsafeSlow(SEGMENT_BYTES);
    },
    release(segments: readonly Buffer[]): void {
      for (const segment of segments) {
        const [give] = waiting;
        if (give) {
          waiting.delete(give);
          give(segment);
        } else free.push(segment);
      }
    },
    /** Whether an upload waits for a segment. */
    get isShort() {
      return waiting.size > 0;
    },
  };
}
