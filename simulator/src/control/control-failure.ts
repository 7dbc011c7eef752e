/** What the control side is asked to do can't be done: becomes a 4xx answer with `ControlError`. */
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

/** 404: the thing that an id names is not there. */
export function notFound(what: string): ControlFailure {
  return new ControlFailure(404, `${what}_not_found`, `there is no such ${what}`);
}

/** 400: the request makes no sense here. */
export function invalid(message: string): ControlFailure {
  return new ControlFailure(400, 'invalid_request', message);
}
