export { createDatabaseIdempotencyStore, MAX_PART_BYTES } from './database-idempotency-store.ts';
export {
  createIdempotency,
  type Idempotency,
  IdempotencyConflictError,
  type IdempotencyOptions,
  StillRunningError,
} from './idempotency.ts';
export type { Answer, AnswerHead, IdempotencyStore } from './idempotency-store.ts';
export { createMemoryIdempotencyStore } from './memory-idempotency-store.ts';
export type { Claim } from './own-claims.ts';
