/**
 * Thrown before anything is copied: the source is in use, or the target can't take the copy. The message says why, and
 * what an operator can do.
 */
export class CopyRefusedError extends Error {
  override readonly name = 'CopyRefusedError';
}

/** Thrown when a copy has begun and could not be completed. The message says what the target has now. */
export class CopyFailedError extends Error {
  override readonly name = 'CopyFailedError';
}

/** Thrown when the operator has interrupted the copy. */
export class CopyInterruptedError extends Error {
  override readonly name = 'CopyInterruptedError';
  constructor() {
    super('Interrupted: the target has nothing of the copy. The same command begins it anew');
  }
}
