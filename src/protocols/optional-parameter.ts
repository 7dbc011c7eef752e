import type { JsonObject } from '../lib/json/json.ts';

/** A parameter that a host may refuse: hosts and models differ in what they accept. */
export interface OptionalParameter {
  readonly name: string;
  /**
   * Alternative fields, or changes of the body, the best first. If all are refused, the parameter is left out unless
   * `isRequired`.
   */
  readonly ways: readonly (JsonObject | BodyChange)[];
  /** Default false. */
  readonly isRequired?: boolean | undefined;
  /**
   * Matches the parameter or the message of a refusal, which is followed by the next way. A list has one for each way:
   * the refusal says which way is required, whatever was tried before.
   */
  readonly about: RegExp | readonly (RegExp | undefined)[];
}

/** Returns a body that the host may accept. */
export type BodyChange = (body: JsonObject) => JsonObject;
