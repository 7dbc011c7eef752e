import { z } from 'zod';
import type { UploadAccess } from '../../core/administration/index.ts';
import { HttpError, type HttpErrorFacts } from '../../protocols/http-error.ts';

/** Body of every response with status 400 or above under `/upload`, `/file`, `/delete` and `/share`. */
export const cloudErrorSchema = z
  .strictObject({
    ok: z.literal(false),
    error: z.strictObject({
      code: z.string().describe('Cause, for programs.'),
      message: z.string().describe('Explanation in English.'),
    }),
  })
  .meta({ id: 'FileError', description: 'Error body of the file routes.' });

/** Converts error facts to the response body of the file routes. */
export function toCloudErrorBody(facts: HttpErrorFacts): z.infer<typeof cloudErrorSchema> {
  return { ok: false, error: { code: facts.code, message: facts.message } };
}

/** Returns true if `url` (path and query) belongs to the file routes, existing or not. */
export function isCloudUrl(url: string): boolean {
  return /^\/+(?:upload|file|delete|share)(?:[/?#]|$)/.test(url);
}

/** Creates an error of the file routes. */
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

/** @throws HttpError 403 if uploads over HTTP are off. */
export function requireUploads(uploads: UploadAccess): void {
  if (uploads !== 'off') return;
  throw cloudError(403, 'uploads_off', 'Files can not be uploaded over HTTP here. Files sent to the bot are stored.');
}

/**
 * Creates the 404, the same for files that never existed, are deleted, have expired or reached their download limit.
 */
export function fileNotFound(): HttpError {
  return cloudError(404, 'file_not_found', 'There is no such file, or it no longer exists.');
}

/**
 * Returns the facts for a name in the URL that Fastify rejected: too long (414) or badly encoded (400).
 * @param url path and query.
 */
export function toNameFailure(error: unknown, url: string): HttpErrorFacts | undefined {
  const code = error instanceof Error ? Reflect.get(error, 'code') : undefined;
  const remedy = /^\/+upload/.test(url)
    ? 'send the file as a form with POST /upload, which accepts any name'
    : 'leave it out: /file/<id> works without it';
  if (code === 'FST_ERR_MAX_PARAM_LENGTH') {
    const message = `The name in the address is longer than ${MAX_NAME_LENGTH} characters. Shorten it, or ${remedy}.`;
    return { status: 414, type: 'invalid_request_error', code: 'name_too_long', message };
  }
  if (code === 'FST_ERR_BAD_URL') {
    const message = `The address is not percent-encoded UTF-8. Encode the name ("%" as %25, "é" as %C3%A9), or ${remedy}.`;
    return { status: 400, type: 'invalid_request_error', code: 'invalid_name', message };
  }
  return undefined;
}

/** Maximum length of a decoded name in a path. */
export const MAX_NAME_LENGTH = 1024;
