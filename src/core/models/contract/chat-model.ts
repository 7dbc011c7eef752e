import type { ChatCompletion, ChatStream } from './chat-answer.ts';
import type { ChatRequest, Dialect } from './chat-request.ts';

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
