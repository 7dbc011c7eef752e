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
  /** Source in the settings that the tool comes from; undefined for built-in tools. */
  readonly source?: string | undefined;
  /** When a call needs the permission of the user. Default `never`. */
  readonly permission?: ToolPermission | undefined;
  /** The results are text that others have written: it may contain instructions for the model. Default false. */
  readonly hasForeignResults?: boolean | undefined;
  /**
   * Returns the address that a call opens; undefined where the parameters hold none. Tools with this method open addresses that stand
   * in the conversation without permission, and a permission for them holds for one host.
   */
  readonly findAddress?: ((parameters: JsonObject) => URL | undefined) | undefined;
  /**
   * Does the work.
   * @param parameters what the model gave: an object, but nobody has compared it with the schema.
   * @returns text for the model.
   * @throws ToolError with words for the model; the signal's reason. Of any other error the model only hears that it failed.
   */
  run(parameters: JsonObject, context: ToolContext): Promise<string>;
}

/** `after-foreign-text`: as soon as the model has read text that others have written. */
export type ToolPermission = 'never' | 'after-foreign-text' | 'always';

export interface ToolContext {
  /** User whose answer asks for it. */
  readonly userId: number;
  /** Ends the work: the answer was stopped, or it takes too long. */
  readonly signal: AbortSignal;
}

/** What a tool is doing, as far as people are told. */
export type ToolActivity = 'calculating' | 'looking-at-clock' | 'reading' | 'searching' | 'drawing' | 'other';

/** A tool could not do what it was asked for. The message is for the model: it may try something else, or tell the person. */
export class ToolError extends Error {
  override readonly name = 'ToolError';
}
