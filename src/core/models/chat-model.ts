/**
 * Vendor-neutral interface of chat models. The HTTP API and the bot translate their requests into it, the provider
 * folders translate it into the protocols of their hosts. Requests, events and completions can carry the original
 * (`native`), so that a client whose dialect the host speaks loses nothing, not even unknown fields.
 */
export interface ChatModel {
  /** Dialects whose original requests (`native`) the model forwards. Default none. */
  readonly dialects?: readonly Dialect[] | undefined;
  /**
   * Requests one whole completion.
   * @throws ProviderError subclasses of `model-errors.ts`; the signal's reason when aborted.
   */
  complete(request: ChatRequest, signal: AbortSignal): Promise<ChatCompletion>;
  /**
   * Resolves with the first event: until then failover and proper status codes are possible. An abort closes the
   * connection to the provider at once, before and during the stream.
   * @throws like `complete`.
   */
  stream(request: ChatRequest, signal: AbortSignal): Promise<ChatStream>;
  /**
   * Counts the tokens of a prompt. Not implemented by models whose host can't count; undefined if the host of this
   * model can't.
   * @throws like `complete`.
   */
  countPromptTokens?(request: ChatRequest, signal: AbortSignal): Promise<number | undefined>;
}

/** Fields of a JSON object that this interface does not name. */
export type UnknownFields = { readonly [field: string]: unknown };

/**
 * Wire protocol that providers forward. `chat-completions` and the legacy `completions` are OpenAI's, `messages` is
 * Anthropic's. `transcriptions` is OpenAI's for transcripts, which stream like an answer in a chat.
 */
export type Dialect = 'chat-completions' | 'completions' | 'messages' | 'transcriptions';

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
   * Further settings under the names of OpenAI's chat completions, such as `service_tier` or `top_logprobs`. Providers
   * of that protocol get them unchanged; a provider that has no equivalent of one refuses the request.
   */
  readonly further?: UnknownFields | undefined;
  /**
   * Settings under the names of OpenAI's chat completions that do not change the answer, such as `prompt_cache_key`.
   * Providers leave out those that they don't know or that their host refuses.
   */
  readonly hints?: UnknownFields | undefined;
  /** The request as the client sent it. A provider that speaks the dialect forwards it under its own name of the model. */
  readonly native?: NativeRequest | undefined;
}

export type OptionalSetting = 'temperature' | 'maxOutputTokens' | 'reasoningEffort';

export interface NativeRequest {
  readonly dialect: Dialect;
  readonly body: UnknownFields;
  /** Headers of the dialect that are forwarded with the body, such as `anthropic-beta`. Default none. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /**
   * Set if the body contains something that changes the answer and that `ChatRequest` can't express. Only models that
   * forward the dialect get the request; if there are none, it is refused with this error.
   */
  readonly untranslatable?: UntranslatableField | undefined;
}

/** A field of a request that only hosts of its dialect understand. */
export interface UntranslatableField {
  /** Path of the field in the body, such as `tools[0].type`. */
  readonly param: string;
  /** Error message for the client; names the field. */
  readonly message: string;
  /** Error code for the client. Default none. */
  readonly code?: string | undefined;
}

/** The role `developer` of some dialects is `system` here. */
export type ChatMessage =
  | { readonly role: 'system' | 'user'; readonly content: Content }
  | AssistantMessage
  /** The result of a tool call. */
  | { readonly role: 'tool'; readonly toolCallId: string; readonly content: Content };

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

export type ContentPart =
  | { readonly type: 'text'; readonly text: string }
  /** `url`: an address, or the image itself as `data:<type>;base64,…`. `detail`: `low`, `high`, `auto`. */
  | { readonly type: 'image'; readonly url: string; readonly detail?: string | undefined }
  /** `url`: an address, or the file itself as `data:<type>;base64,…`. */
  | { readonly type: 'file'; readonly url: string; readonly name?: string | undefined }
  /** Any other part of a chat completions request, as the client sent it. */
  | { readonly type: 'other'; readonly native: UnknownFields };

export interface ToolDefinition {
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

/** A tool call of a model. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** JSON as the model wrote it; it may be invalid. */
  readonly arguments: string;
  /** Further fields that the host requires in the next request, such as Gemini's signatures. */
  readonly native?: UnknownFields | undefined;
}

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

export interface ChatCompletion {
  /** Not empty. */
  readonly choices: readonly ChatChoice[];
  readonly outcome: ChatOutcome;
  /** The host's response body. */
  readonly native?: { readonly dialect: Dialect; readonly bytes: Buffer } | undefined;
}

/** One answer of a completion. */
export interface ChatChoice {
  readonly text: string;
  /** Log probabilities of the tokens of `text`, in OpenAI's format; undefined if the host reports none. */
  readonly logprobs?: readonly UnknownFields[] | undefined;
  readonly reasoning?: string | undefined;
  /** As in `ReasoningDelta`. */
  readonly reasoningMustBeSentBack?: boolean | undefined;
  /** Why the model declines to answer; null if the host reports that it does not. */
  readonly refusal?: string | null | undefined;
  readonly toolCalls: readonly ToolCall[];
  /** Undefined if the host reports no list of sources. */
  readonly sources?: readonly Source[] | undefined;
  readonly finishReason: string;
  /** The stop sequence that ended the answer; undefined if there was none or the host does not report it. */
  readonly stopSequence?: string | undefined;
}

/** A source that an answer cites. */
export interface Source {
  /** As the host reports it, unchecked; undefined for sources without an address. */
  readonly url: string | undefined;
  readonly title?: string | undefined;
  readonly native?: UnknownFields | undefined;
}

/** The events of an answer in order. The iteration ends when the answer is complete and throws if it breaks off. */
export interface ChatStream extends AsyncIterable<ChatEvent> {
  /** Updated while the stream is read; final when the iteration has ended, successfully or not. */
  readonly outcome: ChatOutcome;
}

/** One event of a stream. */
export interface ChatEvent {
  /** Empty for events without a meaning in this interface. */
  readonly parts: readonly ChatPart[];
  /** The event as the host sent it. */
  readonly native?: NativeEvent | undefined;
}

export interface NativeEvent {
  readonly dialect: Dialect;
  /** JSON text without line breaks. */
  readonly data: string;
}

/** `choice` is the index of the choice that the part belongs to. */
export type ChatPart =
  | TextDelta
  | ReasoningDelta
  | { readonly type: 'refusal-delta'; readonly choice: number; readonly text: string }
  | ToolCallDelta
  | { readonly type: 'source'; readonly choice: number; readonly source: Source }
  | { readonly type: 'usage'; readonly usage: TokenUsage }
  | Finish;

export interface Finish {
  readonly type: 'finish';
  readonly choice: number;
  readonly reason: string;
  /** As in `ChatChoice`. */
  readonly stopSequence?: string | undefined;
}

export interface TextDelta {
  readonly type: 'text-delta';
  readonly choice: number;
  readonly text: string;
  /** As in `ChatChoice`. */
  readonly logprobs?: readonly UnknownFields[] | undefined;
}

export interface ReasoningDelta {
  readonly type: 'reasoning-delta';
  readonly choice: number;
  readonly text: string;
  /**
   * True for hosts that send `reasoning_content`: some of them require it in the request that follows a tool call. Other
   * hosts refuse it there. Default false.
   */
  readonly mustBeSentBack?: boolean | undefined;
}

/** A fragment of a tool call. Hosts differ in the fields that they repeat. */
export interface ToolCallDelta {
  readonly type: 'tool-call-delta';
  readonly choice: number;
  /** Index of the call in the answer. */
  readonly index: number | undefined;
  readonly id: string | undefined;
  readonly name: string | undefined;
  /** Appended to the arguments so far. */
  readonly arguments: string;
  readonly native?: UnknownFields | undefined;
}

export interface ChatOutcome {
  /** Name of the provider that answered. */
  readonly provider: string;
  /** The provider's name of the model. */
  readonly model: string;
  /** Id of the completion, as the host reports it. */
  readonly id: string | undefined;
  /** Name of the model, as the host reports it. */
  readonly reportedModel: string | undefined;
  /** Start of the answer, as the host reports it, Unix seconds. */
  readonly createdAt: number | undefined;
  /** `stop`, `length`, `tool_calls`, `content_filter`, …; undefined while unfinished. */
  readonly finishReason: string | undefined;
  /** Undefined if the host does not report it. */
  readonly usage: TokenUsage | undefined;
  /** Number of events with a delta so far: about one token each, for the usage of streams that break off. */
  readonly deltaCount: number;
}

/** Token counts. */
export interface TokenUsage {
  /** All of the prompt, cached tokens included. */
  readonly promptTokens: number;
  /** All of the answer, reasoning included. */
  readonly completionTokens: number;
  /** Prompt tokens read from the provider's cache; undefined if it does not report them. */
  readonly cachedTokens?: number | undefined;
  /** Prompt tokens written to the provider's cache; undefined if it does not report them. */
  readonly cacheWriteTokens?: number | undefined;
  /** The part of `cacheWriteTokens` that is cached for an hour; undefined if the provider does not report it. */
  readonly cacheWriteHourTokens?: number | undefined;
  /** Tokens of reasoning; undefined if the provider does not report them. */
  readonly reasoningTokens?: number | undefined;
  /** Prompt tokens of audio; undefined if the provider does not report them. */
  readonly audioInputTokens?: number | undefined;
  /** Completion tokens of audio; undefined if the provider does not report them. */
  readonly audioOutputTokens?: number | undefined;
  /** Prompt tokens of images; undefined if the provider does not report them. */
  readonly imageInputTokens?: number | undefined;
  /** Completion tokens of images; undefined if the provider does not report them. */
  readonly imageOutputTokens?: number | undefined;
  /** Cost in US dollars as the provider reports it. */
  readonly costUsd?: number | undefined;
}

/** Returns the outcome of a completion that has not begun. */
export function createOutcome(provider: string, model: string): GrowingOutcome {
  return {
    provider,
    model,
    id: undefined,
    reportedModel: undefined,
    createdAt: undefined,
    finishReason: undefined,
    usage: undefined,
    deltaCount: 0,
  };
}

/** A `ChatOutcome` that a provider fills in. */
export type GrowingOutcome = { -readonly [Field in keyof ChatOutcome]: ChatOutcome[Field] };

/** Returns the texts of a content, without images and other parts. */
export function listTexts(content: Content): readonly string[] {
  if (typeof content === 'string') return [content];
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : []));
}

/** Returns a choice of a completion as the parts of a stream. */
export function listParts(answer: ChatChoice, choice: number): readonly ChatPart[] {
  const { text, logprobs, reasoning, reasoningMustBeSentBack: mustBeSentBack, refusal, toolCalls, sources } = answer;
  const parts: ChatPart[] = [];
  if (reasoning) parts.push({ type: 'reasoning-delta', choice, text: reasoning, mustBeSentBack });
  if (text !== '') parts.push({ type: 'text-delta', choice, text, logprobs });
  if (refusal) parts.push({ type: 'refusal-delta', choice, text: refusal });
  for (const source of sources ?? []) parts.push({ type: 'source', choice, source });
  for (const [index, call] of toolCalls.entries()) parts.push({ type: 'tool-call-delta', choice, index, ...call });
  parts.push({ type: 'finish', choice, reason: answer.finishReason, stopSequence: answer.stopSequence });
  return parts;
}
