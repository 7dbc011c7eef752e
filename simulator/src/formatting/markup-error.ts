import { type ApiError, badRequest } from '../api-error.ts';

/** Makes the refusal of a text whose markup is broken at this index, in TDLib's words. */
export function markupErrorAt(text: string, index: number, reason: string): ApiError {
  return markupError(`${reason} at byte offset ${Buffer.byteLength(text.slice(0, index))}`);
}

/** Makes the refusal of a text whose markup is broken. */
export function markupError(reason: string): ApiError {
  return badRequest(`can't parse entities: ${reason}`);
}
