import { HttpError, type HttpErrorFacts } from '../http-error.ts';

/** The body of every answer of 400 and above under `/upload`, `/file` and `/delete`. */
export interface CloudErrorBody {
  readonly ok: false;
  readonly error: { readonly code: string; readonly message: string };
}

/** The body that tells a client of the files about `facts`. */
export function toCloudErrorBody(facts: HttpErrorFacts): CloudErrorBody {
  return { ok: false, error: { code: facts.code, message: facts.message } };
}

/** Whether a request for `url` (path and query) speaks of files, whatever becomes of it. */
export function isCloudUrl(url: string): boolean {
  return /^\/+(?:upload|file|delete)(?:[/?#]|$)/.test(url);
}

/** A failure that the client of the files is told of. */
export function cloudError(
  status: number,
  code: string,
  message: string,
  headers: Readonly<Record<string, string>> = {},
  options: ErrorOptions = {},
): HttpError {
  const type = status >= 500 ? 'server_error' : 'invalid_request_error';
  return new HttpError({ status, type, code, message, headers }, options);
}

/** 404, the same for files that never were, are deleted, have expired or are used up. */
export function fileNotFound(): HttpError {
  return cloudError(404, 'file_not_found', 'There is no such file, or not any more.');
}
