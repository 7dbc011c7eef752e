import type { TelegramFailure } from '../../telegram/telegram-errors.ts';

/** What to do after one call. */
export type DeliveryStep =
  /** The chat is as wanted. */
  | { readonly kind: 'complete' }
  /** One call closer. */
  | { readonly kind: 'progress' }
  /** Nothing gained; another try makes sense, after a pause of the caller's choice where `delayMs` is undefined. */
  | { readonly kind: 'later'; readonly delayMs: number | undefined; readonly failure: TelegramFailure }
  /** Another try would be refused too, or (`unclear`) might show the answer twice. */
  | { readonly kind: 'failed'; readonly failure: TelegramFailure; readonly cause: unknown };

export const COMPLETE: DeliveryStep = { kind: 'complete' };
export const PROGRESS: DeliveryStep = { kind: 'progress' };

export function later(failure: TelegramFailure, delayMs?: number): DeliveryStep {
  return { kind: 'later', delayMs, failure };
}

/** Returns `later` for a failure that passes, else `failed`. */
export function stepAfter(failure: TelegramFailure, cause: unknown): DeliveryStep {
  if (failure.kind === 'flood') return later(failure, failure.retryAfterMs);
  if (failure.kind === 'dropped' && failure.reason !== 'closed') return later(failure, failure.retryAfterMs);
  if (failure.kind === 'unclear' || failure.kind === 'not-sent') return later(failure);
  return { kind: 'failed', failure, cause };
}
