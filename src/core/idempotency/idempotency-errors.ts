/** Thrown if an idempotency key was used with another body. */
export class IdempotencyConflictError extends Error {
  override readonly name = 'IdempotencyConflictError';
  constructor() {
    super('This idempotency key belongs to a request with another body');
  }
}

/** Thrown if an earlier request with the same idempotency key runs for too long. */
export class StillRunningError extends Error {
  override readonly name = 'StillRunningError';
  constructor() {
    super('The earlier request with this idempotency key is still running');
  }
}
