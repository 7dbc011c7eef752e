import type { Cached, ChatMessage } from './chat-message.ts';
import type { NativeRequest, UnknownFields } from './native-request.ts';

/** Input of one completion. Undefined settings are left to the model. */
export interface ChatRequest {
  readonly model: string;
  /** Not empty, oldest first. */
  readonly messages: readonly ChatMessage[];
  /** Functions that the model may call. */
  readonly tools?: readonly ToolDefinition[] | undefined;
  readonly toolChoice?: ToolChoice | undefined;
  /** False: at most one tool call in an answer. Default: the model decides. */
  readonly allowsParallelToolCalls?: boolean | undefined;
  readonly responseFormat?: ResponseFormat | undefined;
  readonly sampling?: Sampling | undefined;
  /** `low`, `medium`, `high`, or another name that the host knows. */
  readonly reasoningEffort?: string | undefined;
  /** Upper bound for the tokens of each choice, reasoning included. */
  readonly maxOutputTokens?: number | undefined;
  /** Number of completions for the same messages. Default 1. */
  readonly choiceCount?: number | undefined;
  /** Settings that are left out if the model refuses them, instead of failing the request. Default none. */
  readonly optional?: readonly OptionalSetting[] | undefined;
  /**
   * Extra settings under the names of OpenAI's chat completions, such as `service_tier` or `top_logprobs`. Providers
   * of that protocol get them unchanged; a provider that has no equivalent of one refuses the request.
   */
  readonly extraFields?: UnknownFields | undefined;
  /**
   * Settings under the names of OpenAI's chat completions that do not change the answer, such as `prompt_cache_key`.
   * Providers leave out those that they don't know or that their host refuses.
   */
  readonly hints?: UnknownFields | undefined;
  /** The request as the client sent it. A provider that speaks the dialect forwards it under its own name of the model. */
  readonly native?: NativeRequest | undefined;
}

export type OptionalSetting = 'temperature' | 'maxOutputTokens' | 'reasoningEffort';

export interface ToolDefinition extends Cached {
  /** 1 to 64 letters, digits, `_` and `-`. */
  readonly name: string;
  readonly description?: string | undefined;
  /** JSON Schema of an object. */
  readonly parameters?: UnknownFields | undefined;
  /** True if the arguments must match the schema exactly. */
  readonly isStrict?: boolean | undefined;
}

/** `auto` (the default): the model decides. `required`: it must call a tool. */
export type ToolChoice = 'auto' | 'none' | 'required' | { readonly name: string };

/** `json` without a schema allows any object. */
export type ResponseFormat =
  | { readonly type: 'text' }
  | {
      readonly type: 'json';
      readonly schema?: UnknownFields | undefined;
      /** Name of the schema; some hosts show it to the model. */
      readonly name?: string | undefined;
      readonly description?: string | undefined;
      /** True if the answer must match the schema exactly. */
      readonly isStrict?: boolean | undefined;
    };

export interface Sampling {
  readonly temperature?: number | undefined;
  readonly topP?: number | undefined;
  readonly seed?: number | undefined;
  /** Sequences that end the answer; not included in it. */
  readonly stop?: readonly string[] | undefined;
}
