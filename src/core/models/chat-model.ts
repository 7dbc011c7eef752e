import type { JsonObject } from '../../lib/json.ts';
import type { JsonText } from '../../lib/json-outline.ts';

/**
 * The contract between people's requests and whatever runs models. Its language is OpenAI's chat completions protocol,
 * because that is what clients send and nearly every provider speaks: what we do not understand passes through untouched.
 * A vendor with another protocol translates inside its own folder.
 */
export interface ChatModel {
  /**
   * One whole completion.
   * @throws ProviderError subclasses of `model-errors.ts`; the signal's reason when aborted.
   */
  complete(request: ChatRequest, signal: AbortSignal): Promise<ChatCompletion>;
  /**
   * Resolves when the first event is there: until then failover and proper status codes are possible.
   * Aborting the signal reaches the provider's socket at once, before and during the stream.
   * @throws like `complete`.
   */
  stream(request: ChatRequest, signal: AbortSignal): Promise<ChatStream>;
}

/** A request body in OpenAI's shape. `stream` is decided by the method that is called, whatever stands in the body. */
export interface ChatRequest {
  readonly body: ChatRequestBody;
  /** The text that `body` was parsed from, for whoever sends it on; they differ in the name of the model alone. */
  readonly json?: JsonText | undefined;
}

export interface ChatRequestBody extends JsonObject {
  readonly model: string;
  readonly messages: readonly ChatMessage[];
}

/** `content` is text, a list of content parts (text, image_url, …), or null beside tool calls. */
export interface ChatMessage extends JsonObject {
  readonly role: string;
  readonly content?: string | readonly JsonObject[] | null;
}

export interface ChatCompletion {
  /** The provider's JSON as it came (`chat.completion`), for forwarding. */
  readonly bytes: Buffer;
  /** The same, parsed. Has a non-empty `choices`. */
  readonly body: JsonObject;
  readonly outcome: ChatOutcome;
}

/**
 * Each item is one or more complete server-sent events, `data: {chat.completion.chunk}\n\n`, without comments and without `[DONE]`.
 * The iteration ends when the completion is complete and throws where it breaks off. The extra usage chunk
 * is left out unless the request asked for it with `stream_options.include_usage`.
 */
export interface ChatStream extends AsyncIterable<Buffer> {
  /** What is known so far; final when the iteration has ended, however it ended. */
  readonly outcome: ChatOutcome;
}

export interface ChatOutcome {
  /** Name of the provider that answered. */
  readonly provider: string;
  /** The provider's name of the model. */
  readonly model: string;
  /** The completion's id as the provider gave it. */
  readonly id: string | undefined;
  /** `stop`, `length`, `tool_calls`, `content_filter`, …; undefined while unfinished. */
  readonly finishReason: string | undefined;
  /** Undefined where the provider did not say. */
  readonly usage: TokenUsage | undefined;
  /** Events with a delta so far: about one token each, for counting what broke off without usage. */
  readonly deltaCount: number;
}

/** Counts of tokens. */
export interface TokenUsage {
  readonly promptTokens: number;
  readonly completionTokens: number;
}
