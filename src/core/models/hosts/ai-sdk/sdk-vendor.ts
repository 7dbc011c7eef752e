import type { LanguageModelV4, LanguageModelV4CallOptions } from '@ai-sdk/provider';
import type { ChatRequest } from '../../contract/chat-request.ts';

type SdkOptions = Omit<LanguageModelV4CallOptions, 'prompt'>;
/** Options of the SDK for one request, without messages. */
export type CallOptions = { [Option in keyof SdkOptions]: SdkOptions[Option] | undefined };

/** A vendor whose models are reached through a package of the AI SDK. */
export interface SdkVendor {
  /** Key of the vendor's fields in `providerOptions` and `providerMetadata` of the SDK. */
  readonly metadataKey: string;
  /** Creates a model whose requests are sent with `fetch`. Loads the package at the first call. */
  createModel(modelId: string, fetch: typeof globalThis.fetch): Promise<LanguageModelV4>;
  /**
   * Rewrites what the package would drop, and refuses what the vendor can't do.
   * @throws UntranslatableError
   */
  prepare(request: ChatRequest): ChatRequest;
  /** Returns options for what the SDK's own options can't express. */
  toProviderOptions(request: ChatRequest): CallOptions['providerOptions'];
}
