import type { JsonObject } from '../../lib/json.ts';

/** Something that a model may ask for while it writes an answer. */
export interface Tool {
  /** Unique among the tools of one answer: 1 to 64 letters, digits, `_` and `-`, as OpenAI's protocol wants it. */
  readonly name: string;
  /** For the model: what it does and when to ask for it. */
  readonly description: string;
  /** JSON Schema of an object. */
  readonly parameters: JsonObject;
  /** What people see while it works. Default `other`. */
  readonly activity?: ToolActivity | undefined;
  /** For people: what it is called, where its activity does not say enough. Default `name`. */
  readonly title?: string | undefined;
  /** What a call is about, in a few words for people: the words that are searched for, the host of a page. */
  readonly describeCall?: ((parameters: JsonObject) => string | undefined) | undefined;
  /**
   * Does the work.
   * @param parameters what the model gave: an object, but nobody has compared it with the schema.
   * @returns text for the model.
   * @throws ToolError with words for the model; the signal's reason. Of any other error the model only hears that it failed.
   */
  run(parameters: JsonObject, context: ToolContext): Promise<string>;
}

export interface ToolContext {
  /** User whose answer asks for it. */
  readonly personId: number;
  /** Ends the work: the answer was stopped, or it takes too long. */
  readonly signal: AbortSignal;
}

/** What a tool is doing, as far as people are told. */
export type ToolActivity = 'calculating' | 'looking-at-clock' | 'reading' | 'searching' | 'drawing' | 'other';

/** A tool could not do what it was asked for. The message is for the model: it may try something else, or tell the person. */
export class ToolError extends Error {
  override readonly name = 'ToolError';
}
