import { LimitExceededError } from '../core/limits/index.ts';
import {
  AllProvidersFailedError,
  ModelNotFoundError,
  ProviderError,
  ProviderRejectedError,
  ProviderStreamError,
  ProviderTimeoutError,
  ProviderUnavailableError,
  WrongModelTypeError,
} from '../core/models/index.ts';
import { QueueFullError } from '../lib/async/work-queue.ts';
import type { SpanAttributes } from '../lib/log/observer.ts';

/** Returns the outcome of a generation or provider attempt as one of a dozen labels. */
export function toGenerationOutcome(error: unknown): string {
  if (error === undefined) return 'success';
  if (error instanceof AllProvidersFailedError) return error.isTimeout ? 'timeout' : 'unavailable';
  if (error instanceof ModelNotFoundError || error instanceof WrongModelTypeError) return 'unknown_model';
  if (error instanceof ProviderTimeoutError) return 'timeout';
  if (error instanceof ProviderStreamError) return 'broken_off';
  if (error instanceof ProviderRejectedError) return 'rejected';
  if (error instanceof ProviderUnavailableError) return toUnavailability(error.status);
  if (error instanceof ProviderError) return 'unavailable';
  if (error instanceof QueueFullError) return 'queue_full';
  if (error instanceof LimitExceededError) return 'over_limit';
  return isGivenUp(error) ? 'given_up' : 'failure';
}

function toUnavailability(status: number | undefined): string {
  if (status === 429) return 'rate_limited';
  if (status === 402) return 'no_credit';
  return status === 401 || status === 403 ? 'refused_key' : 'unavailable';
}

/** Errors after which the client has disconnected or the user has stopped the generation. */
const GIVEN_UP = new Set(['ClientGoneError', 'WorkStoppedError', 'AbortError']);

function isGivenUp(error: unknown): boolean {
  return error instanceof Error && GIVEN_UP.has(error.name);
}

/** Returns the outcome of a Bot API call as a label. */
export function toTelegramOutcome({ status }: SpanAttributes, error: unknown): string {
  if (error !== undefined)
    return error instanceof Error && error.name === 'RequestTimeoutError' ? 'timeout' : 'no_answer';
  if (status === 200) return 'success';
  if (status === 429) return 'flood';
  return Number(status) >= 500 ? 'server_error' : 'refused';
}
