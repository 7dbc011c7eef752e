import type { ChatModel } from './chat-model.ts';
import type { EmbeddingModel } from './embedding-model.ts';
import type { ImageModel } from './image-model.ts';
import type { ModelType } from './model-type.ts';
import type { ModerationModel } from './moderation-model.ts';
import type { SpeechModel, SpeechRequest } from './speech-model.ts';
import type { TextCompletionModel } from './text-completion-model.ts';
import type { TranscriptionModel } from './transcription-model.ts';

/** A host that serves models. One for each configured account: the unit of failover, circuit breaking and discovery. */
export interface Provider {
  /**
   * Unique, lowercase: `groq`, `openrouter`, `home`. Public model names may have it as a prefix:
   * `groq/llama-3.3-70b-versatile`.
   */
  readonly name: string;
  /** Expects the provider's own model names; undefined if the host has no chat models. */
  readonly chat: ChatModel | undefined;
  /** Expects the provider's own names of chat models; undefined if the host has no text completions. */
  readonly completion?: TextCompletionModel | undefined;
  /** Expects the provider's own model names; undefined if the host has no image models. */
  readonly image: ImageModel | undefined;
  /** Expects the provider's own model names; undefined if the host has no embedding models. */
  readonly embedding?: EmbeddingModel | undefined;
  /** Expects the provider's own model names; undefined if the host has no moderation models. */
  readonly moderation?: ModerationModel | undefined;
  /** Expects the provider's own model names; undefined if the host has no speech-to-text. */
  readonly transcription?: TranscriptionModel | undefined;
  /** Model that transcribes for the bot, whose users don't choose one; undefined if none is set. */
  readonly botTranscriptionModel?: string | undefined;
  /** Expects the provider's own model names; undefined if the host has no text-to-speech. */
  readonly speech?: SpeechModel | undefined;
  /** Model and voice that read aloud for the bot, whose users don't choose them; undefined if no model is set. */
  readonly botSpeech?: Omit<SpeechRequest, 'input'> | undefined;
  /** Whether any model name is accepted, listed or not. */
  readonly acceptsAnyModel: boolean;
  /** Share of first attempts among the providers of one model; 1 is usual. */
  readonly weight: number;
  /**
   * Requests the host's list of models.
   * @throws ProviderError
   */
  listModels(signal: AbortSignal): Promise<readonly ProviderModel[]>;
  /** Closes connections and aborts requests in flight. */
  close(): Promise<void>;
}

/** A model as its host describes it; undefined fields are unknown. */
export interface ProviderModel {
  /** The provider's own name of the model. */
  readonly id: string;
  readonly type: ModelType;
  readonly ownedBy?: string | undefined;
  /** Human-readable name. */
  readonly displayName?: string | undefined;
  /** Unix seconds. */
  readonly created?: number | undefined;
  /** Tokens of prompt and completion together. */
  readonly contextLength?: number | undefined;
  readonly price?: ModelPrice | undefined;
  /** Whether a chat or moderation model accepts images, or an image model edits images. */
  readonly acceptsImages?: boolean | undefined;
  /** Whether a chat model can call tools; false if its host refuses requests with tools. */
  readonly acceptsTools?: boolean | undefined;
}

/** Price in US dollars. */
export interface ModelPrice {
  /** Per million prompt tokens. */
  readonly input: number;
  /** Per million completion tokens. */
  readonly output: number;
  /** Per generated image; undefined if unknown. */
  readonly image?: number | undefined;
}
