import type { JsonObject } from '../../../lib/json/json.ts';

/**
 * Store of opaque blobs: the bytes of files. It does not know their content, their owner, or whether they are still
 * needed.
 */
export interface BlobStore {
  /** `telegram`, `s3`, `disk` or `memory`. Recorded with each blob, because locators of one kind are invalid in another. */
  readonly kind: string;
  /** Maximum size of a blob. */
  readonly maxBytes: number;
  /**
   * Stores a blob under a unique random name. Waits for the store's rate limiter. The store owns `bytes` until the
   * promise settles; then the caller may reuse them.
   * @throws BlobRefusedError: the blob is not stored.
   * @throws BlobOutcomeUnknownError: the blob may be stored. Never put it again under this name.
   * @throws the signal's reason when aborted. The blob may be stored, too.
   */
  put(blob: { readonly name: string; readonly bytes: Buffer }, signal: AbortSignal): Promise<BlobLocator>;
  /**
   * Returns why the store accepts no blob until an operator acts, for example because a right was withdrawn; undefined
   * if it may accept one. Answers within seconds and never throws. Absent if the store knows no such state.
   */
  findOutage?(): Promise<string | undefined>;
  /**
   * Announces that a blob is about to be opened, so that the store can do slow preparations in advance. Never throws:
   * errors appear in `open`. Absent if the store needs no preparation.
   */
  prepare?(locator: BlobLocator): void;
  /**
   * Reads `length` bytes from `offset`. Resolves when the first bytes are available. The iteration never ends early: it
   * throws instead. A chunk is valid until the next one is requested, then its memory may be freed or reused; copy
   * bytes that you keep. To stop before the end, abort the signal, also if the iteration was never started.
   * @throws BlobMissingError, BlobRefusedError; the signal's reason.
   */
  open(
    locator: BlobLocator,
    range: { readonly offset: number; readonly length: number },
    signal: AbortSignal,
  ): Promise<AsyncIterable<Buffer>>;
  /**
   * Removes a blob. Succeeds if the blob does not exist.
   * @throws BlobRefusedError if the blob may still exist.
   */
  delete(locator: BlobLocator, signal: AbortSignal): Promise<void>;
  /**
   * Removes the blob that a `put` with unknown outcome may have left under this name. Absent if the store can't find
   * blobs by name: such a blob remains, encrypted and unused.
   * @throws BlobRefusedError if the blob may still exist.
   */
  deleteByName?(name: string, signal: AbortSignal): Promise<void>;
}

/** Stores by their kinds: the one that takes new blobs, and others that still hold some. */
export type BlobStores = ReadonlyMap<string, BlobStore>;

/** Location of a blob, in the format of its store. Kept in the database, never shown to users. */
export type BlobLocator = JsonObject;

/** Thrown when the store refuses an operation; it has no effect. */
export class BlobRefusedError extends Error {
  override readonly name = 'BlobRefusedError';
  /** Delay until a retry may succeed. Undefined if a retry would fail, too. */
  readonly retryAfterMs: number | undefined;
  /** True if an operator has to act first: the caller fails instead of waiting for `retryAfterMs`. */
  readonly isOutage: boolean;
  constructor(
    message: string,
    facts: { retryAfterMs?: number | undefined; isOutage?: boolean | undefined; cause?: unknown } = {},
  ) {
    super(message, { cause: facts.cause });
    this.retryAfterMs = facts.retryAfterMs;
    this.isOutage = facts.isOutage ?? false;
  }
}

/** Thrown when the store's response was lost. The blob may be stored or not. */
export class BlobOutcomeUnknownError extends Error {
  override readonly name = 'BlobOutcomeUnknownError';
}

/** Thrown when the store has no such blob. */
export class BlobMissingError extends Error {
  override readonly name = 'BlobMissingError';
}
