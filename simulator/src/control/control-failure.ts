/** Refusal of a control request, sent as a 4xx response with `ControlError`. */
export class ControlFailure extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.name = 'ControlFailure';
    this.status = status;
    this.code = code;
  }
}

/** Returns a 404 error: no object has the given id. */
export function notFound(what: string): ControlFailure {
  return new ControlFailure(404, `${what}_not_found`, `there is no such ${what}`);
}

/** Returns a 400 error: the request is not valid here. */
export function invalid(message: string): ControlFailure {
  return new ControlFailure(400, 'invalid_request', message);
}
