import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { leaveOnAbort } from '../../lib/leave-on-abort.ts';
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
  const cutter = new Cutter({
    ...{ pool: deps.pool, packer: deps.packer, partBytes: deps.partBytes },
    ...{ fileId: reception.fileId, key: reception.key, signal: either, onFailed: (error) => failure.abort(error) },
  });
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

/** The items of a source, which is told to end where the signal ends it first. */
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
    // Not waited for: a source in the middle of `next` answers when it likes.
    if (!isDone) void Promise.resolve(iterator.return?.()).catch(() => {});
  }
}
