import type { Clock } from '../../../lib/clock.ts';
import type { BlobPart, Receiver } from '../blobs/blob-part.ts';
import { toSealedSize } from '../blobs/encryption.ts';
import { type SealedBlob, sealBlob } from '../blobs/seal-blob.ts';

export interface PackerParams {
  readonly clock: Clock;
  /** Puts a blob into the store and records its parts in the database. */
  readonly put: (blob: SealedBlob, signal: AbortSignal) => Promise<void>;
  /** Maximum size of a blob. */
  readonly maxBlobBytes: number;
  readonly concurrentPuts: number;
  /** How long parts wait for others to share their blob, while uploads are receiving. */
  readonly lingerMs: number;
  /** Returns whether uploads wait for memory. */
  readonly isMemoryShort: () => boolean;
}

/**
 * Packs parts of all uploads into blobs, because the store limits the number of blobs, not of bytes. A blob is formed
 * when it can be sent, so a slow store gets fuller blobs. Uploads are served round-robin, part by part: a large upload
 * can't delay small ones.
 */
export class Packer {
  readonly #params: PackerParams;
  readonly #queue = createPartQueue();
  readonly #receivers = new Set<Receiver>();
  readonly #buffers: Buffer[] = [];
  readonly #running = new Set<Promise<void>>();
  readonly #closing = new AbortController();
  #cancelTimer: (() => void) | undefined;
  #isPumping = false;

  constructor(params: PackerParams) {
    this.#params = params;
  }

  /** Adds a part. Its callbacks report the outcome. */
  add(part: BlobPart): void {
    this.#queue.add(part, this.#params.clock.now());
    this.#pump();
  }

  /**
   * Registers an upload that is receiving: while there is one, parts that don't fill a blob wait for more. Returns a
   * function that removes it.
   */
  addReceiver(receiver: Receiver): () => void {
    this.#receivers.add(receiver);
    return () => {
      this.#receivers.delete(receiver);
      this.#pump();
    };
  }

  /** Drops the waiting parts of an upload. */
  drop(fileId: string): void {
    fail(this.#queue.drop(fileId), new Error('The upload has ended'));
  }

  /** Checks again whether to send a blob, because memory is short. */
  wake(): void {
    this.#pump();
  }

  /** Fails the waiting parts with this reason, aborts the blobs in flight, and resolves when none is left. */
  async close(reason: Error): Promise<void> {
    this.#closing.abort(reason);
    fail(this.#queue.clear(), reason);
    while (this.#running.size > 0) await Promise.all(this.#running);
    this.#cancelTimer?.();
  }

  #pump(): void {
    // `cut` calls `add` synchronously; the running round handles these parts.
    if (this.#isPumping) return;
    this.#isPumping = true;
    this.#cancelTimer?.();
    this.#cancelTimer = this.#sendWhatIsDue();
    this.#isPumping = false;
  }

  /**
   * Sends the blobs that are due. Returns a function that cancels the timer for the remaining parts, if there is one.
   */
  #sendWhatIsDue(): (() => void) | undefined {
    const { clock, concurrentPuts, isMemoryShort, lingerMs, maxBlobBytes } = this.#params;
    while (this.#running.size < concurrentPuts) {
      if (isMemoryShort()) cutLargest(this.#receivers, maxBlobBytes - this.#queue.sealedBytes);
      if (this.#queue.sealedBytes === 0) return undefined;
      if (!this.#isDue()) return clock.setTimer(this.#queue.oldestAt + lingerMs - clock.now(), () => this.#pump());
      const sending = this.#send(this.#queue.take(maxBlobBytes)).finally(() => {
        this.#running.delete(sending);
        this.#pump();
      });
      this.#running.add(sending);
    }
    return undefined;
  }

  #isDue(): boolean {
    const { clock, isMemoryShort, lingerMs, maxBlobBytes } = this.#params;
    return (
      this.#receivers.size === 0 ||
      isMemoryShort() ||
      this.#queue.sealedBytes >= maxBlobBytes / 2 ||
      clock.now() >= this.#queue.oldestAt + lingerMs
    );
  }

  async #send(parts: readonly BlobPart[]): Promise<void> {
    const buffer = this.#buffers.pop() ?? Buffer.allocUnsafeSlow(this.#params.maxBlobBytes);
    const needed = abortWhenAllAbort(parts.map((part) => part.signal));
    try {
      const sealed = await sealBlob(parts, buffer);
      await this.#params.put(sealed, AbortSignal.any([needed.signal, this.#closing.signal]));
      for (const part of parts) part.onStored();
    } catch (error) {
      fail(parts, error);
    } finally {
      needed.stop();
      this.#buffers.push(buffer);
    }
  }
}

function fail(parts: readonly BlobPart[], error: unknown): void {
  for (const part of parts) {
    part.onTaken();
    part.onFailed(error);
  }
}

/**
 * Cuts the uploads that hold the most bytes, as many as fit into a blob, so slow uploads don't keep memory that others
 * need.
 */
function cutLargest(receivers: ReadonlySet<Receiver>, maxBytes: number): void {
  let left = maxBytes;
  for (const receiver of [...receivers].sort((a, b) => b.heldBytes - a.heldBytes)) {
    const sealedBytes = toSealedSize(receiver.heldBytes);
    if (receiver.heldBytes === 0 || sealedBytes > left) continue;
    left -= sealedBytes;
    receiver.cut();
  }
}

/** Returns a signal that aborts when all given signals have aborted, with the reason of the last one in the list. */
function abortWhenAllAbort(signals: readonly AbortSignal[]): { signal: AbortSignal; stop(): void } {
  const controller = new AbortController();
  const check = () => {
    if (signals.every((signal) => signal.aborted)) controller.abort(signals.at(-1)?.reason);
  };
  for (const signal of signals) signal.addEventListener('abort', check, { once: true });
  check();
  return {
    signal: controller.signal,
    stop() {
      for (const signal of signals) signal.removeEventListener('abort', check);
    },
  };
}

interface WaitingPart {
  readonly part: BlobPart;
  readonly addedAt: number;
}

/** Keeps the parts of each upload in order; `take` is round-robin over uploads. */
function createPartQueue() {
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
