import type { Clock } from '../../../lib/clock.ts';
import type { StoredSaveRequest } from './save-journal.ts';

/** Maximum pause between two parts; a later part is handled on its own. */
const WAIT_MS = 1500;
/** Telegram's limit for an album. */
const MAX_PARTS = 10;

/** Parts of an album. Each is a separate message, and none is marked as the last one. */
export class Album {
  readonly #clock: Clock;
  readonly #first: StoredSaveRequest;
  readonly #parts: StoredSaveRequest[] = [];
  readonly #complete = Promise.withResolvers<StoredSaveRequest>();
  readonly #onEnd: () => void;
  #isEnded = false;
  #cancelTimer = () => {};

  /** @param onEnd called when no more parts may be added. */
  constructor({ clock }: { readonly clock: Clock }, first: StoredSaveRequest, onEnd: () => void) {
    this.#clock = clock;
    this.#first = first;
    this.#onEnd = onEnd;
    this.add(first);
  }

  add(part: StoredSaveRequest): void {
    this.#cancelTimer();
    this.#parts.push(part);
    if (this.#parts.length >= MAX_PARTS) this.end();
    else this.#cancelTimer = this.#clock.setTimer(WAIT_MS, () => this.end());
  }

  /** Waits until no part has arrived for a while; an abort ends the wait. @returns one request for all parts. */
  whenComplete(signal: AbortSignal): Promise<StoredSaveRequest> {
    if (signal.aborted) this.end();
    signal.addEventListener('abort', () => this.end(), { once: true });
    return this.#complete.promise;
  }

  /** Completes the album as it is. */
  end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#cancelTimer();
    this.#onEnd();
    this.#complete.resolve({
      ...this.#first,
      files: this.#parts.flatMap(({ files }) => files),
      records: this.#parts.flatMap(({ records }) => records),
    });
  }
}
