import type { ChatCompletion, ChatStream } from './chat-answer.ts';
import type { NativeRequest } from './chat-request.ts';

/**
 * Interface of models that continue a text, as in OpenAI's legacy completions. There is no neutral form of most
 * settings: providers forward the client's request.
 */
export interface TextCompletionModel {
  /**
   * Requests one whole completion. Its choices are those of the first prompt, then those of the second, and so on.
   * @throws like `ChatModel.complete`.
   */
  complete(request: TextCompletionRequest, signal: AbortSignal): Promise<ChatCompletion>;
  /**
   * Resolves with the first event.
   * @throws like `ChatModel.stream`.
   */
  stream(request: TextCompletionRequest, signal: AbortSignal): Promise<ChatStream>;
}

export interface TextCompletionRequest {
  readonly model: string;
  /** Not empty. */
  readonly prompts: readonly Prompt[];
  /** Number of completions for each prompt. */
  readonly choiceCount: number;
  /** Number of completions that the host generates for each prompt, if it returns only the best ones. */
  readonly candidateCount?: number | undefined;
  readonly maxOutputTokens?: number | undefined;
  /** Sequences that end a completion; not included in it. */
  readonly stop?: readonly string[] | undefined;
  /** Whether each completion begins with its prompt. Default false. */
  readonly isEchoed?: boolean | undefined;
  /** The client's request, with all settings. */
  readonly native: NativeRequest;
}

/** A text, or tokens of the model's own vocabulary. */
export type Prompt = string | readonly number[];
