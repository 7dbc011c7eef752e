import { z } from 'zod';

/** Facts of an error response, as in OpenAI's error body. */
export interface HttpErrorFacts {
  readonly status: number;
  /** Category: `invalid_request_error`, `server_error`. */
  readonly type: string;
  /** Machine-readable code: `invalid_api_key`, `model_not_found`, … */
  readonly code: string;
  /** Human-readable message. Must not contain internals. */
  readonly message: string;
  /** The invalid field of the body, such as `messages[0].role`. */
  readonly param?: string | undefined;
  /** Additional headers: `retry-after`, `allow`, … */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** OpenAI's error body: the body of every response with status 400 or above, except those about files. */
export const errorSchema = z
  .strictObject({
    error: z.strictObject({
      message: z.string().describe('Explanation in English.'),
      type: z.string().describe('Kind of error: `invalid_request_error`, `server_error`, …'),
      param: z.string().nullable().describe('Invalid field of the body.'),
      code: z.string().nullable().describe('Exact cause, for programs.'),
    }),
  })
  .meta({ id: 'Error', description: "OpenAI's error body." });

/** Converts error facts to the response body. */
export function toErrorBody(facts: HttpErrorFacts): z.infer<typeof errorSchema> {
  return { error: { message: facts.message, type: facts.type, param: facts.param ?? null, code: facts.code } };
}

/** Error that handlers throw deliberately. Everything in it is sent to the client. */
export class HttpError extends Error {
  override readonly name = 'HttpError';
  readonly facts: HttpErrorFacts;
  constructor(facts: HttpErrorFacts, options?: ErrorOptions) {
    super(facts.message, options);
    this.facts = facts;
  }
}

/** Creates a 400. `param` names the invalid field, undefined for the whole body. */
export function invalidRequest(message: string, param?: string): HttpError {
  return new HttpError({
    status: 400,
    type: 'invalid_request_error',
    code: 'invalid_request_error',
    message,
    param,
  });
}

/** Creates a 401 for a missing, unknown or revoked key. */
export function invalidApiKey(message: string): HttpError {
  return new HttpError({
    status: 401,
    type: 'invalid_request_error',
    code: 'invalid_api_key',
    message,
    headers: { 'www-authenticate': 'Bearer' },
  });
}

/** Creates a 404 for a thing that does not exist. */
export function notFound(message: string): HttpError {
  return new HttpError({ status: 404, type: 'invalid_request_error', code: 'not_found', message });
}

/** Creates a 404 for a request without `model` if there is no default. */
export function noDefaultModel(message: string): HttpError {
  return new HttpError({
    status: 404,
    type: 'invalid_request_error',
    code: 'model_not_found',
    message,
    param: 'model',
  });
}

/** Creates a 503, for load or shutdown. */
export function unavailable(
  message: string,
  retryAfterSeconds: number,
  headers: Readonly<Record<string, string>> = {},
): HttpError {
  return new HttpError({
    status: 503,
    type: 'server_error',
    code: 'unavailable',
    message,
    headers: { 'retry-after': String(retryAfterSeconds), ...headers },
  });
}
