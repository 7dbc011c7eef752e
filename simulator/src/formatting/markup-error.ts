import { type ApiError, badRequest } from '../api-error.ts';

/** Returns the error for markup that is broken at this index, in TDLib's wording. */
export function markupErrorAt(text: string, index: number, reason: string): ApiError {
  return markupError(`${reason} at byte offset ${Buffer.byteLength(text.slice(0, index))}`);
}

/** Returns the error for broken markup. */
export function markupError(reason: string): ApiError {
  return badRequest(`can't parse entities: ${reason}`);
}
