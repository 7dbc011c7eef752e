import type { UnknownFields } from './chat-request.ts';

/** Vendor-neutral interface of moderation models, which classify harmful content. */
export interface ModerationModel {
  /**
   * Returns one result for each input.
   * @throws ProviderError subclasses of `model-errors.ts`; the signal's reason when aborted.
   */
  moderate(request: ModerationRequest, signal: AbortSignal): Promise<Moderations>;
}

export interface ModerationRequest {
  readonly model: string;
  /** Not empty. */
  readonly inputs: readonly ModerationInput[];
  /** Extra fields of OpenAI's moderations endpoint from the client. */
  readonly extraFields?: UnknownFields | undefined;
}

/** A text, or texts and images that are judged together. */
export type ModerationInput = string | readonly ModerationPart[];

export type ModerationPart =
  | { readonly type: 'text'; readonly text: string }
  /** `url`: an address, or the image itself as `data:<type>;base64,…`. */
  | { readonly type: 'image'; readonly url: string };

export interface Moderations {
  /** One for each input, in their order. */
  readonly results: readonly ModerationResult[];
  /** Id of the answer, as the host reports it. */
  readonly id: string | undefined;
  /** Name of the model, as the host reports it. */
  readonly reportedModel: string | undefined;
  /** The host's answer, if it is complete in OpenAI's protocol. */
  readonly native?: Buffer | undefined;
  /** Name of the provider. */
  readonly provider: string;
  /** The provider's name of the model. */
  readonly model: string;
}

export interface ModerationResult {
  /** Whether any category applies. */
  readonly flagged: boolean;
  /** Whether each category applies, under the host's names: `violence`. */
  readonly categories: Readonly<Record<string, boolean>>;
  /** Confidence for each category, 0 to 1. */
  readonly scores: Readonly<Record<string, number>>;
}
