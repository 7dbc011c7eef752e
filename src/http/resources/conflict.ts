import { HttpError } from '../../protocols/http-error.ts';

/** Creates the 409 for a change that contradicts the current state. */
export function conflict(message: string, param?: string, code = 'conflict'): HttpError {
  return new HttpError({ status: 409, type: 'invalid_request_error', code, message, param });
}
