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
