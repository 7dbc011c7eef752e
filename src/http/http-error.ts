/** What an answer says about a failure, in the words of OpenAI's error body. */
export interface HttpErrorFacts {
  readonly status: number;
  /** The family: `invalid_request_error`, `server_error`. */
  readonly type: string;
  /** The exact case, for programs: `invalid_api_key`, `model_not_found`, … */
  readonly code: string;
  /** For people. Must hold nothing internal. */
  readonly message: string;
  /** The field of the body that is wrong, as `messages[0].role`. */
  readonly param?: string | undefined;
  /** Headers that belong to this answer: `retry-after`, `allow`, … */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** The one thing that handlers throw on purpose; everything in it goes to the client. */
export class HttpError extends Error {
  override readonly name = 'HttpError';
  readonly facts: HttpErrorFacts;
  constructor(facts: HttpErrorFacts, options?: ErrorOptions) {
    super(facts.message, options);
    this.facts = facts;
  }
}

/** 400: the body does not say what it must. `param` names the field, undefined where the whole body is meant. */
export function invalidRequest(message: string, param?: string): HttpError {
  return new HttpError({
    status: 400,
    type: 'invalid_request_error',
    code: 'invalid_request_error',
    message,
    param,
  });
}

/** 401, for a missing, unknown or revoked key. */
export function invalidApiKey(message: string): HttpError {
  return new HttpError({
    status: 401,
    type: 'invalid_request_error',
    code: 'invalid_api_key',
    message,
    headers: { 'www-authenticate': 'Bearer' },
  });
}

/** 503: not now, because of load or because the service is going down. */
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
