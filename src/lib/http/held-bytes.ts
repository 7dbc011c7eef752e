import { AsyncLocalStorage } from 'node:async_hooks';

/** Thrown when more bytes would be held in memory than the budget allows. */
export class HeldBytesFullError extends Error {
  override readonly name = 'HeldBytesFullError';
  constructor() {
    super('Too much data is being processed right now');
  }
}

/** A user id, or the address of a client without one. */
type Owner = number | string;

const MAX_HELD_BYTES = 256 * 1024 * 1024;

/**
 * The budget of bytes that the process holds whole on behalf of requests: their bodies, answers of hosts while they are
 * read, and answers that clients have not read yet. An owner never holds more than remains free for all others, so half
 * of it at most.
 */
export class HeldBytes {
  readonly #maxBytes: number;
  readonly #byOwner = new Map<Owner, number>();
  readonly #current = new AsyncLocalStorage<Hold>();
  #totalBytes = 0;

  /** @param maxBytes Default 256 MiB. */
  constructor(maxBytes = MAX_HELD_BYTES) {
    this.#maxBytes = maxBytes;
  }

  get totalBytes(): number {
    return this.#totalBytes;
  }

  /**
   * Opens the hold of one request. The caller must release it.
   * @param owner Default: the service itself, which has no share.
   */
  open(owner?: Owner): Hold {
    return new Hold((bytes) => this.#change(owner, bytes));
  }

  /** Runs `action` so that the answers of hosts that it reads, now or later, count in `hold`. */
  run<Result>(hold: Hold, action: () => Result): Result {
    return this.#current.run(hold, action);
  }

  /** Returns the hold of the current request, or a new one outside of `run`. The caller must release it. */
  openForReading(): Hold {
    const current = this.#current.getStore();
    return current?.retain() ?? this.open();
  }

  #change(owner: Owner | undefined, bytes: number): void {
    const totalBytes = this.#totalBytes + bytes;
    const ownBytes = owner === undefined ? 0 : (this.#byOwner.get(owner) ?? 0) + bytes;
    if (bytes > 0 && ownBytes > this.#maxBytes - totalBytes) throw new HeldBytesFullError();
    this.#totalBytes = totalBytes;
    if (owner === undefined) return;
    if (ownBytes === 0) this.#byOwner.delete(owner);
    else this.#byOwner.set(owner, ownBytes);
  }
}

/** The bytes of one request. Each method that counts more throws `HeldBytesFullError`, and then counts nothing. */
export class Hold {
  readonly #change: (bytes: number) => void;
  #addedBytes = 0;
  #expectedBytes = 0;
  #readBytes = 0;
  #retainCount = 1;

  constructor(change: (bytes: number) => void) {
    this.#change = change;
  }

  get expectedBytes(): number {
    return this.#expectedBytes;
  }

  get readBytes(): number {
    return this.#readBytes;
  }

  /** Counts bytes until the hold is released. Negative ones are given back. */
  add(bytes: number): void {
    this.#set(this.#addedBytes + bytes, this.#expectedBytes, this.#readBytes);
  }

  /** Reserves the expected size of the answer, instead of an earlier expectation. */
  expect(bytes: number): void {
    this.#set(this.#addedBytes, bytes, this.#readBytes);
  }

  /** Counts bytes of an answer that is being read, as far as they exceed the expected size. */
  read(bytes: number): void {
    this.#set(this.#addedBytes, this.#expectedBytes, this.#readBytes + bytes);
  }

  /** Replaces what was expected and read by the size of the finished answer. */
  settle(bytes: number): void {
    this.#set(this.#addedBytes + bytes, 0, 0);
  }

  /** Requires one more `release`. Returns undefined if the hold is already released. */
  retain(): this | undefined {
    if (this.#retainCount === 0) return undefined;
    this.#retainCount += 1;
    return this;
  }

  /** Gives everything back when all of its users have released it. */
  release(): void {
    if (this.#retainCount > 0) this.#retainCount -= 1;
    if (this.#retainCount === 0) this.#set(0, 0, 0);
  }

  #set(addedBytes: number, expectedBytes: number, readBytes: number): void {
    const isReleased = this.#retainCount === 0;
    const next = isReleased ? 0 : addedBytes + Math.max(expectedBytes, readBytes);
    const change = next - (this.#addedBytes + Math.max(this.#expectedBytes, this.#readBytes));
    if (change !== 0) this.#change(change);
    this.#addedBytes = isReleased ? 0 : addedBytes;
    this.#expectedBytes = isReleased ? 0 : expectedBytes;
    this.#readBytes = isReleased ? 0 : readBytes;
  }
}
