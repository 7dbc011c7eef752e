import type { Clock } from '../../lib/clock.ts';
import { toSealedSize } from './encryption.ts';
import type { Piece, Receiver } from './piece.ts';
import { createPieceQueue } from './piece-queue.ts';
import { type SealedBlob, sealBlob } from './seal-blob.ts';

export interface PackerOptions {
  readonly clock: Clock;
  /** Brings a blob into the store, its parts into the database. */
  readonly put: (blob: SealedBlob, signal: AbortSignal) => Promise<void>;
  /** Size of a blob. */
  readonly maxBlobBytes: number;
  readonly concurrentPuts: number;
  /** How long pieces wait for company while there are receivers. */
  readonly lingerMs: number;
  /** Whether uploads wait for memory. */
  readonly isMemoryShort: () => boolean;
}

/** Gathers pieces of all uploads into blobs: what the store counts is blobs, not bytes. */
export interface Packer {
  /** Takes a piece in; it is told what becomes of it. */
  add(piece: Piece): void;
  /** As long as somebody receives, pieces that don't fill a blob wait a moment for what comes. The answer ends it. */
  addReceiver(receiver: Receiver): () => void;
  /** Forgets the pieces of an upload that wait. */
  drop(fileId: string): void;
  /** Looks again whether a blob should go out: memory has become short. */
  relieve(): void;
  /** Fails what waits with this reason, aborts what is on its way, and resolves when nothing is. */
  close(reason: Error): Promise<void>;
}

/**
 * Blobs are formed at the moment when one may go out, so the longer the store takes, the more of them share one. Uploads
 * take turns piece by piece: a large one can't keep small ones waiting.
 */
export function createPacker(options: PackerOptions): Packer {
  const queue = createPieceQueue();
  const receivers = new Set<Receiver>();
  const buffers: Buffer[] = [];
  const running = new Set<Promise<void>>();
  const closing = new AbortController();
  let cancelTimer: (() => void) | undefined;
  let isPumping = false;

  const isDue = () =>
    receivers.size === 0 ||
    options.isMemoryShort() ||
    queue.sealedBytes >= options.maxBlobBytes / 2 ||
    options.clock.now() >= queue.oldestAt + options.lingerMs;

  const pump = () => {
    // Cutting adds pieces: they are seen by the round that has them cut.
    if (isPumping) return;
    isPumping = true;
    cancelTimer?.();
    cancelTimer = sendWhatIsDue();
    isPumping = false;
  };

  /** Gives the timer of what is not due yet. */
  const sendWhatIsDue = () => {
    while (running.size < options.concurrentPuts) {
      if (options.isMemoryShort()) cutLargest(receivers, options.maxBlobBytes - queue.sealedBytes);
      if (queue.sealedBytes === 0) return undefined;
      if (!isDue()) return options.clock.setTimer(queue.oldestAt + options.lingerMs - options.clock.now(), pump);
      const sending = send(queue.take(options.maxBlobBytes)).finally(() => {
        running.delete(sending);
        pump();
      });
      running.add(sending);
    }
    return undefined;
  };

  const send = async (pieces: readonly Piece[]) => {
    const buffer = buffers.pop() ?? Buffer.allocUnsafeSlow(options.maxBlobBytes);
    const needed = abortWhenAllAbort(pieces.map((piece) => piece.signal));
    try {
      const sealed = await sealBlob(pieces, buffer);
      await options.put(sealed, AbortSignal.any([needed.signal, closing.signal]));
      for (const piece of pieces) piece.onStored();
    } catch (error) {
      fail(pieces, error);
    } finally {
      needed.stop();
      buffers.push(buffer);
    }
  };

  return {
    add(piece) {
      queue.add(piece, options.clock.now());
      pump();
    },
    addReceiver(receiver) {
      receivers.add(receiver);
      return () => {
        receivers.delete(receiver);
        pump();
      };
    },
    drop: (fileId) => fail(queue.drop(fileId), new Error('The upload has ended')),
    relieve: pump,
    async close(reason) {
      closing.abort(reason);
      fail(queue.clear(), reason);
      while (running.size > 0) await Promise.all(running);
      cancelTimer?.();
    },
  };
}

function fail(pieces: readonly Piece[], error: unknown): void {
  for (const piece of pieces) {
    piece.onTaken();
    piece.onFailed(error);
  }
}

/** Cuts those who hold most, until a blob is full: nobody who sends slowly keeps memory that others wait for. */
function cutLargest(receivers: ReadonlySet<Receiver>, maxBytes: number): void {
  let left = maxBytes;
  for (const receiver of [...receivers].sort((a, b) => b.heldBytes - a.heldBytes)) {
    const sealedBytes = toSealedSize(receiver.heldBytes);
    if (receiver.heldBytes === 0 || sealedBytes > left) continue;
    left -= sealedBytes;
    receiver.cut();
  }
}

/** A signal that aborts, with the last one's reason, as soon as none of the given is left. */
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
