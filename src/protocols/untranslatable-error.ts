/** Thrown when a vendor's protocol has no equivalent for a part of a request. */
export class UntranslatableError extends Error {
  override readonly name = 'UntranslatableError';
  /** Field of the request, under its name in chat completions. */
  readonly param: string;
  constructor(param: string, message: string) {
    super(message);
    this.param = param;
  }
}
