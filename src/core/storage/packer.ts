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

/**
 * Gathers pieces of all uploads into blobs: what the store counts is blobs, not bytes. Blobs are formed at the moment when
 * one may go out, so the longer the store takes, the more pieces share one. Uploads take turns piece by piece: a large one
 * can't keep small ones waiting.
 */
export class Packer {
  readonly #options: PackerOptions;
  readonly #queue = createPieceQueue();
  readonly #receivers = new Set<Receiver>();
  readonly #buffers: Buffer[] = [];
  readonly #running = new Set<Promise<void>>();
  readonly #closing = new AbortController();
  #cancelTimer: (() => void) | undefined;
  #isPumping = false;

  constructor(options: PackerOptions) {
    this.#options = options;
  }

  /** Takes a piece in; it is told what becomes of it. */
  add(piece: Piece): void {
    this.#queue.add(piece, this.#options.clock.now());
    this.#pump();
  }

  /** As long as somebody receives, pieces that don't fill a blob wait a moment for what comes. The answer ends it. */
  addReceiver(receiver: Receiver): () => void {
    this.#receivers.add(receiver);
    return () => {
      this.#receivers.delete(receiver);
      this.#pump();
    };
  }

  /** Forgets the pieces of an upload that wait. */
  drop(fileId: string): void {
    fail(this.#queue.drop(fileId), new Error('The upload has ended'));
  }

  /** Looks again whether a blob should go out: memory has become short. */
  relieve(): void {
    this.#pump();
  }

  /** Fails what waits with this reason, aborts what is on its way, and resolves when nothing is. */
  async close(reason: Error): Promise<void> {
    this.#closing.abort(reason);
    fail(this.#queue.clear(), reason);
    while (this.#running.size > 0) await Promise.all(this.#running);
    this.#cancelTimer?.();
  }

  #pump(): void {
    // Cutting adds pieces: they are seen by the round that has them cut.
    if (this.#isPumping) return;
    this.#isPumping = true;
    this.#cancelTimer?.();
    this.#cancelTimer = this.#sendWhatIsDue();
    this.#isPumping = false;
  }

  /** Gives the timer of what is not due yet. */
  #sendWhatIsDue(): (() => void) | undefined {
    const { clock, concurrentPuts, isMemoryShort, lingerMs, maxBlobBytes } = this.#options;
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
    const { clock, isMemoryShort, lingerMs, maxBlobBytes } = this.#options;
    return (
      this.#receivers.size === 0 ||
      isMemoryShort() ||
      this.#queue.sealedBytes >= maxBlobBytes / 2 ||
      clock.now() >= this.#queue.oldestAt + lingerMs
    );
  }

  async #send(pieces: readonly Piece[]): Promise<void> {
    const buffer = this.#buffers.pop() ?? Buffer.allocUnsafeSlow(this.#options.maxBlobBytes);
    const needed = abortWhenAllAbort(pieces.map((piece) => piece.signal));
    try {
      const sealed = await sealBlob(pieces, buffer);
      await this.#options.put(sealed, AbortSignal.any([needed.signal, this.#closing.signal]));
      for (const piece of pieces) piece.onStored();
    } catch (error) {
      fail(pieces, error);
    } finally {
      needed.stop();
      this.#buffers.push(buffer);
    }
  }
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
