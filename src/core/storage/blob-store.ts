import type { JsonObject } from '../../lib/json.ts';

/**
 * The contract between files and the place where their bytes lie. A store keeps opaque blobs: what is in them, whose they
 * are and whether they are still needed is not its business.
 */
export interface BlobStore {
  /** `telegram`, `disk` or `memory`: noted with each blob, because locators of one store mean nothing to another. */
  readonly kind: string;
  /** The largest blob it takes. */
  readonly maxBytes: number;
  /**
   * Stores a blob under a random name that nobody else has. Waits where the store has a pace of its own. `bytes` are the
   * store's until the promise settles, and somebody else's afterwards.
   * @throws BlobRefusedError: surely not stored; BlobOutcomeUnknownError: perhaps stored, and never to be put again under
   * this name; the signal's reason, with the same uncertainty, when aborted.
   */
  put(blob: { readonly name: string; readonly bytes: Buffer }, signal: AbortSignal): Promise<BlobLocator>;
  /**
   * Hears that a blob is about to be opened, and may do now what takes time beforehand. Never throws: what goes wrong shows
   * when it is opened. Missing where there is nothing to do.
   */
  prepare?(locator: BlobLocator): void;
  /**
   * Reads `length` bytes from `offset`. Resolves when the first of them can be read; the iteration throws where they break
   * off and never ends early. A chunk is valid until the next one is asked for: then its memory may be freed or filled anew, so
   * whoever keeps bytes copies them first. Who does not read to the end aborts the signal, also where the iteration never began.
   * @throws BlobMissingError, BlobRefusedError; the signal's reason.
   */
  open(
    locator: BlobLocator,
    range: { readonly offset: number; readonly length: number },
    signal: AbortSignal,
  ): Promise<AsyncIterable<Buffer>>;
  /**
   * Removes a blob. One that is not there any more is as good as removed.
   * @throws BlobRefusedError where it may still be there.
   */
  delete(locator: BlobLocator, signal: AbortSignal): Promise<void>;
  /**
   * Removes what a `put` without an answer may have left under this name. Missing where only the answer tells the place: then
   * it stays there, encrypted bytes that no file uses.
   * @throws BlobRefusedError where it may still be there.
   */
  deleteByName?(name: string, signal: AbortSignal): Promise<void>;
}

/** Where a blob lies, in the terms of its store. Kept in the database; never shown to anybody. */
export type BlobLocator = JsonObject;

/** The store did not do it. */
export class BlobRefusedError extends Error {
  override readonly name = 'BlobRefusedError';
  /** When another try has a chance; undefined where the same call would be refused again. */
  readonly retryAfterMs: number | undefined;
  constructor(message: string, facts: { retryAfterMs?: number | undefined; cause?: unknown } = {}) {
    super(message, { cause: facts.cause });
    this.retryAfterMs = facts.retryAfterMs;
  }
}

/** The answer of the store was lost: the blob may be there or not. */
export class BlobOutcomeUnknownError extends Error {
  override readonly name = 'BlobOutcomeUnknownError';
}

/** The store has no such blob. */
export class BlobMissingError extends Error {
  override readonly name = 'BlobMissingError';
}
