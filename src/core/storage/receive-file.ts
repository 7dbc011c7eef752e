import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { once } from '../../lib/once.ts';
import { SEGMENT_BYTES } from './encryption.ts';
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
  /** Called with the bytes so far, before more are taken; what it throws ends the upload. */
  readonly onProgress: (sizeBytes: number) => void;
}

/** What was received and stored. */
export interface ReceivedBytes {
  readonly sizeBytes: number;
  /** 64 lowercase hexadecimal digits. */
  readonly sha256: string;
}

const TURN_BYTES = 1024 * 1024;

/**
 * Brings all bytes of a source into the store, in pieces. The source is asked for more only when the bytes before have found
 * a place. Resolves when every piece is stored.
 * @throws the source's error, the store's, that of `onProgress`, or the signal's reason; whichever, nothing is held any more.
 */
export async function receiveFile(
  deps: ReceiveFileDeps,
  source: AsyncIterable<Buffer>,
  reception: Reception,
  signal: AbortSignal,
): Promise<ReceivedBytes> {
  const failure = new AbortController();
  const either = AbortSignal.any([signal, failure.signal]);
  const cutter = createCutter(deps, reception, either, (error) => failure.abort(error));
  const removeReceiver = deps.packer.addReceiver(cutter);
  const hash = createHash('sha256');
  let sizeBytes = 0;
  let turnEnd = TURN_BYTES;
  try {
    for await (const chunk of untilAborted(source, either)) {
      sizeBytes += chunk.length;
      reception.onProgress(sizeBytes);
      hash.update(chunk);
      await cutter.write(chunk);
      // A source that never waits would otherwise let nobody else in.
      if (sizeBytes >= turnEnd) {
        turnEnd = sizeBytes + TURN_BYTES;
        await nextTurn();
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

/** Copies bytes into segments and makes pieces of them. */
function createCutter(
  { pool, packer, partBytes }: ReceiveFileDeps,
  { fileId, key }: Reception,
  signal: AbortSignal,
  fail: (error: unknown) => void,
) {
  let segments: Buffer[] = [];
  let heldBytes = 0;
  let position = 0;
  let fileOffset = 0;
  let unstoredCount = 0;
  let taken: Promise<void> = Promise.resolve();
  let onAllStored = () => {};

  const cut = () => {
    if (heldBytes === 0) return;
    const piece = { fileId, key, position, fileOffset, sizeBytes: heldBytes, segments, signal };
    position++;
    fileOffset += heldBytes;
    segments = [];
    heldBytes = 0;
    unstoredCount++;
    const { promise, resolve } = Promise.withResolvers<void>();
    taken = promise;
    packer.add({
      ...piece,
      onTaken: once(async () => {
        pool.release(piece.segments);
        resolve();
      }),
      onStored() {
        unstoredCount--;
        if (unstoredCount === 0) onAllStored();
      },
      onFailed: fail,
    });
  };
  const acquire = async () => {
    // One upload has at most one piece waiting, so that it can't take all memory while the store is slow.
    await orAbort(taken, signal);
    return pool.acquire(signal);
  };

  return {
    get heldBytes() {
      return heldBytes;
    },
    cut,
    async write(chunk: Buffer) {
      for (let written = 0; written < chunk.length; ) {
        if (heldBytes === partBytes) cut();
        const fresh = heldBytes % SEGMENT_BYTES === 0 ? await acquire() : undefined;
        // No waiting from here on: what is held may be cut at any time, and these bytes go into what is held then.
        if (fresh) segments.push(fresh);
        const start = heldBytes % SEGMENT_BYTES;
        const end = Math.min(SEGMENT_BYTES, start + partBytes - heldBytes);
        const room = segments.at(-1)?.subarray(start, end);
        if (!room) throw new Error('A piece has no segment for its bytes');
        const count = chunk.copy(room, 0, written);
        heldBytes += count;
        written += count;
      }
    },
    /** Resolves when all pieces are stored. */
    settled: () =>
      orAbort(
        new Promise<void>((resolve) => {
          onAllStored = resolve;
          if (unstoredCount === 0) resolve();
        }),
        signal,
      ),
    /** Gives back what no piece has taken. */
    release() {
      packer.drop(fileId);
      pool.release(segments);
      segments = [];
      heldBytes = 0;
    },
  };
}

/** The items of a source, which is told to end where the signal ends it first. */
async function* untilAborted<Item>(source: AsyncIterable<Item>, signal: AbortSignal): AsyncGenerator<Item> {
  const iterator = source[Symbol.asyncIterator]();
  let isDone = false;
  try {
    for (;;) {
      const item = await orAbort(iterator.next(), signal);
      isDone = item.done === true;
      if (item.done) return;
      yield item.value;
    }
  } finally {
    // Not waited for: a source in the middle of `next` answers when it likes.
    if (!isDone) void Promise.resolve(iterator.return?.()).catch(() => {});
  }
}

/** @throws the signal's reason as soon as it aborts. */
async function orAbort<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  const aborted = Promise.withResolvers<never>();
  const onAbort = () => aborted.reject(signal.reason);
  // Whoever loses the race may fail later: that is nobody's news.
  promise.catch(() => {});
  if (signal.aborted) throw signal.reason;
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([promise, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
