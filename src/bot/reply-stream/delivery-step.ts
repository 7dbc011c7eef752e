import type { TelegramFailure } from '../../telegram/telegram-errors.ts';

/** Result of one call, and the next action. */
export type DeliveryStep =
  /** The chat shows the wanted pages. */
  | { readonly kind: 'complete' }
  /** The call succeeded; more are needed. */
  | { readonly kind: 'progress' }
  /** The call failed and can be retried, after a delay of the caller's choice if `delayMs` is undefined. */
  | { readonly kind: 'later'; readonly delayMs: number | undefined; readonly failure: TelegramFailure }
  /** A retry would fail too, or (`unclear`) might show the answer twice. */
  | { readonly kind: 'failed'; readonly failure: TelegramFailure; readonly cause: unknown };

export const COMPLETE: DeliveryStep = { kind: 'complete' };
export const PROGRESS: DeliveryStep = { kind: 'progress' };

export function later(failure: TelegramFailure, delayMs?: number): DeliveryStep {
  return { kind: 'later', delayMs, failure };
}

/** Returns `later` for a temporary failure, otherwise `failed`. */
export function stepAfter(failure: TelegramFailure, cause: unknown): DeliveryStep {
  if (failure.kind === 'flood') return later(failure, failure.retryAfterMs);
  if (failure.kind === 'dropped' && failure.reason !== 'closed') return later(failure, failure.retryAfterMs);
  if (failure.kind === 'unclear' || failure.kind === 'not-sent') return later(failure);
  return { kind: 'failed', failure, cause };
}
