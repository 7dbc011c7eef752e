import { z } from 'zod';
import { describeError } from '../api/requests/documented-errors.ts';
import { describeResponse } from '../server/openapi.ts';

const ERRORS = {
  400: describeError('A parameter or field is invalid or unknown; `param` names it.'),
  404: describeError('There is no such thing: `not_found`.'),
  409: describeError('The change contradicts the current state; the message says how.'),
  412: describeError('The resource has changed since it was read: `precondition_failed`.'),
  413: describeError('The body is larger than 64 KiB: `request_too_large`.'),
  415: describeError('The body is not JSON: `unsupported_media_type`.'),
};

/** Errors of every route. */
const ACCESS_ERRORS = {
  401: describeError('The API key is missing or invalid: `invalid_api_key`.'),
  403: describeError('The key has no scope `manage`, or its owner is no admin: `insufficient_permissions`.'),
  429: describeError('Too many requests of this key in a minute: `rate_limit_exceeded`.'),
  503: describeError('Temporarily unavailable. `Retry-After` says when to retry.'),
};

const CONDITION = z.object({
  'if-match': z
    .string()
    .optional()
    .describe('`ETag` of the resource as you read it; 412 if it has changed since. Optional.'),
});

interface RouteFacts {
  readonly summary: string;
  readonly description?: string;
  readonly querystring?: z.ZodType;
  readonly params?: z.ZodType;
  readonly body?: z.ZodType;
  /** Description and body of the successful answer. */
  readonly answer: readonly [description: string, body?: z.ZodType | Readonly<Record<string, z.ZodType | string>>];
  /** Status of the successful answer. Default 200. */
  readonly status?: number;
  /** Possible errors besides those of access. */
  readonly errors: readonly (keyof typeof ERRORS)[];
  /** True if the route accepts `If-Match`. */
  readonly isConditional?: boolean;
}

/** Describes a route of the management API for the OpenAPI document. */
export function documentRoute({ answer, status = 200, errors, isConditional = false, ...facts }: RouteFacts) {
  const refusals = Object.fromEntries(errors.map((code) => [code, ERRORS[code]]));
  const response: Readonly<Record<number, object>> = {
    [status]: describeResponse(...answer),
    ...refusals,
    ...ACCESS_ERRORS,
  };
  return {
    tags: ['Management'],
    security: [{ 'api-key': [] }],
    ...(isConditional ? { headers: CONDITION } : {}),
    ...facts,
    response,
  };
}
