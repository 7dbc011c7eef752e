import { z } from 'zod';
import { errorSchema } from '../error-response.ts';
import { describeResponse } from '../openapi.ts';

/** Describes an error of the generation API. */
export const describeError = (description: string) => describeResponse(description, errorSchema);

/** Client errors of every route that accepts JSON and calls a provider. */
export const REFUSALS = {
  400: describeError('The body is not what it must be; `param` names the field.'),
  401: describeError('No API key, or one that is not valid: `invalid_api_key`.'),
  404: describeError('Nobody here knows the model: `model_not_found`.'),
  413: describeError('The body is larger than 20 MiB: `request_too_large`.'),
  415: describeError('The body is no JSON: `unsupported_media_type`.'),
  429: describeError(
    'A limit is reached, of yours or of all providers of the model: `rate_limit_exceeded`, or `insufficient_quota` for the rest of the day. `Retry-After` says when.',
  ),
};

export const FAILURES = {
  502: describeError('Every provider of the model has failed: `upstream_error`.'),
  503: describeError(
    'Not now: `unavailable` under load or at a restart, `service_unavailable` without the database, `upstream_unavailable` where all providers of the model refuse for now. `Retry-After` says when.',
  ),
};

export const unixSecondsSchema = z.int().describe('Unix time, seconds.');
export const userSchema = z.int().describe('Whom the key belongs to.');
