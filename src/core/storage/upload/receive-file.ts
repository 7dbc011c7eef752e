import { createHash } from 'node:crypto';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { leaveOnAbort } from '../../../lib/async/leave-on-abort.ts';
import { Cutter } from './cutter.ts';
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
