import type { JsonObject } from '../../lib/json/json.ts';

/** A function that a model can call while it writes an answer. */
export interface Tool {
  /** Unique among the tools of one answer: 1 to 64 letters, digits, `_` and `-`, as OpenAI's API requires. */
  readonly name: string;
  /** For the model: what the tool does and when to call it. */
  readonly description: string;
  /** JSON Schema of an object. */
  readonly parameters: JsonObject;
  /** Activity that users see during a call. Default `other`. */
  readonly activity?: ToolActivity | undefined;
  /** Name for users, if the activity is too general. Default `name`. */
  readonly title?: string | undefined;
  /** Describes a call to users in a few words: the search terms, the host of a page. */
  readonly describeCall?: ((parameters: JsonObject) => string | undefined) | undefined;
  /** Name of the tool's source in the settings; undefined for built-in tools. */
  readonly source?: string | undefined;
  /** Returns what the user is asked about a call, in the user's language. Default: its name and parameters. */
  readonly toQuestion?: ((parameters: JsonObject) => ToolQuestion) | undefined;
  /**
   * Returns whether what a call would store is verbatim in the message of the user that is answered. Text of others can't
   * have put such a call into words, so it needs no permission. Default never.
   */
  readonly isInWordsOfUser?: ((parameters: JsonObject) => boolean) | undefined;
  /** When a call needs the permission of the user. Default `never`. */
  readonly permission?: ToolPermission | undefined;
  /** Whether a permission is for one call only, never for the rest of a conversation. Default false. */
  readonly asksEachTime?: boolean | undefined;
  /** Maximum number of calls in one answer; bounds a model that repeats itself. Default: only the limits of all tools. */
  readonly maxCalls?: number | undefined;
  /**
   * Whether calls have no effect other than their result. Answers of several models to one question get only such tools.
   * Default false.
   */
  readonly isReadOnly?: boolean | undefined;
  /**
   * Whether a call computes on this machine with what the model or others have written. If the process ends during such
   * a call, the answer is given up, because the call may have ended it. Default false: other tools wait for a service.
   */
  readonly isComputedHere?: boolean | undefined;
  /** Whether results are text by third parties, which may contain instructions for the model. Default false. */
  readonly hasForeignResults?: boolean | undefined;
  /**
   * Returns the address that a call opens, or undefined if the parameters contain none. Tools with this method open
   * addresses that occur in the conversation without permission, and a permission for them is valid for one host.
   */
  readonly findAddress?: ((parameters: JsonObject) => URL | undefined) | undefined;
  /**
   * Returns the query that a call sends to a search service. After foreign text, tools with this method run without
   * permission only if an earlier call of the answer has sent the same query: words of results may spell anything, and
   * their choice and order, too.
   */
  readonly findQuery?: ((parameters: JsonObject) => string | undefined) | undefined;
  /**
   * Executes a call.
   * @param parameters the model's arguments: an object, not validated against the schema.
   * @returns text for the model.
   * @throws ToolError with a message for the model; the signal's reason. For any other error the model only learns that
   * the call failed.
   */
  run(parameters: JsonObject, context: ToolContext): Promise<string>;
}

/** Question to the user whether a call may run. */
export interface ToolQuestion {
  readonly question: string;
  /** Effects of the call, a line for each fact: all of its parameters that have one. */
  readonly details: readonly string[];
  /** Labels of the buttons. */
  readonly allow: string;
  readonly refuse: string;
}

/** `after-foreign-text`: once the model has read text by third parties. */
export type ToolPermission = 'never' | 'after-foreign-text' | 'always';

export interface ToolContext {
  /** User whose answer calls the tool. */
  readonly userId: number;
  /** The model had read text by third parties when it wrote the call, so they may be the authors of its arguments. */
  readonly hasForeignText: boolean;
  /** Records that this result contains text by third parties, for tools without `hasForeignResults`. */
  readonly recordForeignText: () => void;
  /** Adds a link to the sources listed below the answer. */
  readonly addSource: (source: { readonly url: string; readonly title?: string }) => void;
  /** Aborts when the answer was stopped or the call takes too long. */
  readonly signal: AbortSignal;
}

/** Activity of a tool that users see. */
export type ToolActivity =
  | 'calculating'
  | 'looking-at-clock'
  | 'reading'
  | 'searching'
  | 'drawing'
  | 'remembering'
  | 'other';

/** Thrown when a tool call fails. The message is for the model, which may try something else or inform the user. */
export class ToolError extends Error {
  override readonly name = 'ToolError';
}
