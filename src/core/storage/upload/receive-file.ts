import { createHash } from 'node:crypto';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { leaveOnAbort } from '../../../lib/async/leave-on-abort.ts';
import { once } from '../../../lib/async/once.ts';
import type { Receiver } from '../blobs/blob-part.ts';
import { SEGMENT_BYTES } from '../blobs/encryption.ts';
import type { Packer } from './packer.ts';
import type { SegmentPool } from './segment-pool.ts';

export interface ReceiveFileDeps {
  readonly pool: SegmentPool;
  readonly packer: Packer;
  /** Bytes of a file in one part. */
  readonly partBytes: number;
}

export interface Reception {
  readonly fileId: string;
  readonly key: Buffer;
  /** Called with the bytes received so far, before they are processed. An error it throws ends the upload. */
  readonly onProgress: (sizeBytes: number) => void;
}

/** Size and hash of the received bytes. */
export interface ReceivedBytes {
  readonly sizeBytes: number;
  /** 64 lowercase hexadecimal digits. */
  readonly sha256: string;
}

const BATCH_BYTES = 1024 * 1024;

/**
 * Stores all bytes of a source, in parts. Applies backpressure: requests more only when the previous bytes have been
 * copied. Resolves when every part is stored. Releases its memory in any case.
 * @throws the source's error, the store's, that of `onProgress`, or the signal's reason.
 */
export async function receiveFile(
  deps: ReceiveFileDeps,
  source: AsyncIterable<Buffer>,
  reception: Reception,
  signal: AbortSignal,
): Promise<ReceivedBytes> {
  const failure = new AbortController();
  const either = AbortSignal.any([signal, failure.signal]);
  const cutter = new Cutter({
    pool: deps.pool,
    packer: deps.packer,
    partBytes: deps.partBytes,
    fileId: reception.fileId,
    key: reception.key,
    signal: either,
    onFailed: (error) => failure.abort(error),
  });
  const removeReceiver = deps.packer.addReceiver(cutter);
  const hash = createHash('sha256');
  let sizeBytes = 0;
  let turnEnd = BATCH_BYTES;
  try {
    for await (const chunk of untilAborted(source, either)) {
      sizeBytes += chunk.length;
      reception.onProgress(sizeBytes);
      hash.update(chunk);
      await cutter.write(chunk);
      // Yields to the event loop: a source that never waits would block it.
      if (sizeBytes >= turnEnd) {
        turnEnd = sizeBytes + BATCH_BYTES;
        await yieldToEventLoop();
      }
    }
    cutter.cut();
    removeReceiver();
    await cutter.settled();
    return { sizeBytes, sha256: hash.digest('hex') };
  } catch (error) {
    failure.abort(error);
    throw error;
  } finally {
    removeReceiver();
    cutter.release();
  }
}

/** Yields the items of a source until the signal aborts; then ends the source. */
async function* untilAborted<Item>(source: AsyncIterable<Item>, signal: AbortSignal): AsyncGenerator<Item> {
  const iterator = source[Symbol.asyncIterator]();
  let isDone = false;
  try {
    for (;;) {
      const item = await leaveOnAbort(iterator.next(), signal);
      isDone = item.done === true;
      if (item.done) return;
      yield item.value;
    }
  } finally {
    // Not awaited: a pending `next` of the source may delay `return` indefinitely.
    if (!isDone) void Promise.resolve(iterator.return?.()).catch(() => {});
  }
}

interface CutterParams {
  readonly pool: SegmentPool;
  readonly packer: Packer;
  /** Bytes of a file in one part. */
  readonly partBytes: number;
  readonly fileId: string;
  readonly key: Buffer;
  /** Aborts every wait. */
  readonly signal: AbortSignal;
  /** Called when a part could not be stored. */
  readonly onFailed: (error: unknown) => void;
}

/** Copies the bytes of one file into segments and cuts them into parts. */
class Cutter implements Receiver {
  readonly #params: CutterParams;
  /** Segments with received bytes that no part has taken yet. */
  #segments: Buffer[] = [];
  #heldBytes = 0;
  /** Position of the next part in the file. */
  #position = 0;
  #fileOffset = 0;
  /** Resolves when the segments of the last part have been read. */
  #taken: Promise<void> = Promise.resolve();
  #unstoredCount = 0;
  #onAllStored = () => {};

  constructor(params: CutterParams) {
    this.#params = params;
  }

  get heldBytes(): number {
    return this.#heldBytes;
  }

  /**
   * Copies the bytes. Not reentrant.
   * @throws the signal's reason.
   */
  async write(chunk: Buffer): Promise<void> {
    for (let written = 0; written < chunk.length; ) {
      if (this.#heldBytes === this.#params.partBytes) this.cut();
      const fresh = this.#heldBytes % SEGMENT_BYTES === 0 ? await this.#acquire() : undefined;
      // No `await` below: the held bytes may be cut during any wait.
      if (fresh) this.#segments.push(fresh);
      const count = chunk.copy(this.#findCapacity(), 0, written);
      this.#heldBytes += count;
      written += count;
    }
  }

  /** Makes a part of the held bytes. */
  cut(): void {
    if (this.#heldBytes === 0) return;
    const { fileId, key, packer, pool, signal, onFailed } = this.#params;
    const held = {
      position: this.#position,
      fileOffset: this.#fileOffset,
      sizeBytes: this.#heldBytes,
      segments: this.#segments,
    };
    this.#position++;
    this.#fileOffset += held.sizeBytes;
    this.#forgetHeld();
    this.#unstoredCount++;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#taken = promise;
    packer.add({
      ...held,
      fileId,
      key,
      signal,
      onFailed,
      onTaken: once(async () => {
        pool.release(held.segments);
        resolve();
      }),
      onStored: () => {
        this.#unstoredCount--;
        if (this.#unstoredCount === 0) this.#onAllStored();
      },
    });
  }

  /**
   * Resolves when all parts are stored.
   * @throws the signal's reason.
   */
  settled(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#onAllStored = resolve;
    if (this.#unstoredCount === 0) resolve();
    return leaveOnAbort(promise, this.#params.signal);
  }

  /** Releases the segments that no part has taken, and drops waiting parts. */
  release(): void {
    this.#params.packer.drop(this.#params.fileId);
    this.#params.pool.release(this.#segments);
    this.#forgetHeld();
  }

  #forgetHeld(): void {
    this.#segments = [];
    this.#heldBytes = 0;
  }

  async #acquire(): Promise<Buffer> {
    const { pool, signal } = this.#params;
    // An upload has at most one part waiting, so one upload can't take all memory while the store is slow.
    await leaveOnAbort(this.#taken, signal);
    return pool.acquire(signal);
  }

  /** Returns the free bytes of the last segment, up to the end of the part. */
  #findCapacity(): Buffer {
    const start = this.#heldBytes % SEGMENT_BYTES;
    const end = Math.min(SEGMENT_BYTES, start + this.#params.partBytes - this.#heldBytes);
    const available = this.#segments.at(-1)?.subarray(start, end);
    if (!available) throw new Error('A part has no segment for its bytes');
    return available;
  }
}
