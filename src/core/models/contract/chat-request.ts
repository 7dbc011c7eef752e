import type { UntranslatableError } from './model-errors.ts';

/** Fields of a JSON object that this interface does not name. */
export type UnknownFields = { readonly [field: string]: unknown };

/**
 * Wire protocol that providers forward. `chat-completions` and the legacy `completions` are OpenAI's, `messages` is
 * Anthropic's. `transcriptions` is OpenAI's for transcripts, which stream like an answer in a chat.
 */
export type Dialect = 'chat-completions' | 'completions' | 'messages' | 'transcriptions';

/**
 * Begins the signatures of thinking blocks that this service wrote for a Messages client, because another protocol has
 * none. Only this service reads them.
 */
export const CARRIER_SIGNATURE = 'switchboard.';

export interface NativeRequest {
  readonly dialect: Dialect;
  readonly body: UnknownFields;
  /** Headers of the dialect that are forwarded with the body, such as `anthropic-beta`. Default none. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /**
   * Set if the body contains something that changes the answer and that `ChatRequest` can't express. Only models that
   * forward the dialect get the request; if there are none, it is refused with this error.
   */
  readonly untranslatable?: UntranslatableError | undefined;
}

/** The role `developer` of some dialects is `system` here. */
export type ChatMessage =
  | { readonly role: 'system' | 'user'; readonly content: Content }
  | AssistantMessage
  /** The result of a tool call. */
  | ({ readonly role: 'tool'; readonly toolCallId: string; readonly content: Content } & Cached);

export type AssistantMessage = {
  readonly role: 'assistant';
  /** Empty if the model only called tools. */
  readonly content: Content;
  /** Reasoning before the tool calls, for hosts that require it in the next request. */
  readonly reasoning?: string | undefined;
  readonly toolCalls?: readonly ToolCall[] | undefined;
};

/** A text, or a list of parts in order. */
export type Content = string | readonly ContentPart[];

export type ContentPart = (
  | { readonly type: 'text'; readonly text: string }
  /** `url`: an address, or the image itself as `data:<type>;base64,…`. `detail`: `low`, `high`, `auto`. */
  | { readonly type: 'image'; readonly url: string; readonly detail?: string | undefined }
  /** `url`: an address, or the file itself as `data:<type>;base64,…`. */
  | { readonly type: 'file'; readonly url: string; readonly name?: string | undefined }
  /** Any other part of a chat completions request, as the client sent it. */
  | { readonly type: 'other'; readonly native: UnknownFields }
) &
  Cached;

/** A part of a prompt after which a cache of the host may end. */
export type Cached = {
  /** Anthropic's `cache_control`. Hosts that don't take it get the part without. */
  readonly cacheControl?: UnknownFields | undefined;
};

/** A tool call of a model. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** JSON as the model wrote it; it may be invalid. */
  readonly arguments: string;
  /** Further fields that the host requires in the next request, such as Gemini's signatures. */
  readonly native?: UnknownFields | undefined;
}

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

/** Returns the texts of a content, without images and other parts. */
export function listTexts(content: Content): readonly string[] {
  if (typeof content === 'string') return [content];
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : []));
}
