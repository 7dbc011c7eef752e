import { errorSchema } from '../../../protocols/http-error.ts';
import { describeResponse } from '../../server/openapi.ts';

/** Describes an error of the generation API. */
export const describeError = (description: string) => describeResponse(description, errorSchema);

/** Client errors of every route that accepts JSON and calls a provider. */
export const REFUSALS = {
  400: describeError('The body is invalid; `param` names the field.'),
  401: describeError('The API key is missing or invalid: `invalid_api_key`.'),
  403: describeError('The API key does not allow the model: `model_not_allowed`.'),
  404: describeError('No provider has the model: `model_not_found`.'),
  413: describeError('The body is larger than 20 MiB: `request_too_large`.'),
  415: describeError('The body is not JSON: `unsupported_media_type`.'),
  429: describeError(
    'A rate limit is reached, yours or that of all providers of the model: `rate_limit_exceeded`, or `insufficient_quota` for the rest of the day. `Retry-After` says when to retry.',
  ),
};

export const FAILURES = {
  502: describeError('All providers of the model failed: `upstream_error`.'),
  503: describeError(
    'Temporarily unavailable: `unavailable` under load or during a restart, `service_unavailable` without the database, `upstream_unavailable` if all providers of the model refuse for now. `Retry-After` says when to retry.',
  ),
};

export const TIMEOUT = {
  504: describeError('No provider of the model answered in time: `upstream_timeout`.'),
};
