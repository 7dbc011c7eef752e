import type { FastifyRequest } from 'fastify';
import { HttpError } from '../../../protocols/http-error.ts';
import { requireJsonHeaders, requireNoEncoding, unsupportedMediaType } from '../../server/bodies/json-body.ts';

/** Limits of the forms of a route. */
export interface FormLimits {
  readonly maxFiles: number;
  readonly maxFileBytes: number;
  /** Files and fields together. */
  readonly maxBytes: number;
  /** True if the route also takes JSON. Default false. */
  readonly takesJson?: boolean | undefined;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Set if the route takes forms. */
    readonly form?: FormLimits;
  }
}

/** Maximum size of a body in excess of its files and fields. */
const MAX_OVERHEAD_BYTES = 1024 * 1024;

/**
 * Checks the headers of a body before it is read: JSON, or a form if the route takes forms.
 * @throws HttpError 413 and 415.
 */
export function requireBodyHeaders({ headers, routeOptions }: FastifyRequest): void {
  const { form } = routeOptions.config;
  const isForm = /^\s*multipart\/form-data\s*(?:;|$)/i.test(headers['content-type'] ?? '');
  if (!form || (form.takesJson && !isForm)) {
    requireJsonHeaders(headers);
    return;
  }
  if (!isForm) throw unsupportedMediaType('Send a form, with the header "Content-Type: multipart/form-data".');
  requireNoEncoding(headers);
  if (Number(headers['content-length'] ?? 0) > form.maxBytes + MAX_OVERHEAD_BYTES)
    throw tooLarge('The form', form.maxBytes);
}

/** Creates a 413. `what` begins a sentence. */
export function tooLarge(what: string, maxBytes: number): HttpError {
  return new HttpError({
    status: 413,
    type: 'invalid_request_error',
    code: 'request_too_large',
    message: `${what} may have at most ${Math.floor(maxBytes / 1024 / 1024)} MiB.`,
  });
}
