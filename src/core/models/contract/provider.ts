import type { ChatModel } from './chat-model.ts';
import type { EmbeddingModel } from './embedding-model.ts';
import type { ImageModel } from './image-model.ts';
import type { ModerationModel } from './moderation-model.ts';
import type { RerankModel } from './rerank-model.ts';
import type { SpeechModel, SpeechRequest } from './speech-model.ts';
import type { TextCompletionModel } from './text-completion-model.ts';
import type { TranscriptionModel } from './transcription-model.ts';

/** Types of models. Each is served at addresses of its own. */
export const MODEL_TYPES = ['chat', 'image', 'embedding', 'speech', 'transcription', 'moderation', 'rerank'] as const;

/**
 * Kind of work of a model: `chat` answers messages, `image` creates images, `embedding` turns texts into vectors, `speech`
 * reads texts aloud, `transcription` writes down recordings, `moderation` classifies harmful content, `rerank`
 * orders documents by their relevance to a query.
 */
export type ModelType = (typeof MODEL_TYPES)[number];

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
  /** Expects the provider's own model names; undefined if the host has no rerank models. */
  readonly rerank?: RerankModel | undefined;
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
  /** Whether a chat model reads PDF files as they are, with what their pages look like. */
  readonly acceptsPdf?: boolean | undefined;
  /** Whether a chat model can call tools; false if its host refuses requests with tools. */
  readonly acceptsTools?: boolean | undefined;
}

/**
 * Price of a model in US dollars; undefined fields are unknown. Prices of tokens are per million. Tokens of a kind
 * without a price of its own cost as much as `input` or `output`.
 */
export interface ModelPrice extends TokenRates {
  readonly reasoning?: number | undefined;
  readonly audioInput?: number | undefined;
  readonly audioOutput?: number | undefined;
  readonly imageInput?: number | undefined;
  readonly imageOutput?: number | undefined;
  /** Prompt tokens that are cached for an hour instead of the usual minutes. */
  readonly cacheWriteHour?: number | undefined;
  /** Rates of the whole request if its prompt has more tokens than `above`, which increases from one to the next. */
  readonly longPrompt?: readonly (TokenRates & { readonly above: number })[] | undefined;
  /** One request, beside its tokens. */
  readonly request?: number | undefined;
  /** One generated image; the dearest one if there are `imageRates`. */
  readonly image?: number | undefined;
  /** One generated image by its quality and size, not empty. Other qualities have no known price. */
  readonly imageRates?: readonly ImageRate[] | undefined;
  /** One minute of transcribed or spoken audio. */
  readonly audioMinute?: number | undefined;
  /** One million characters that are read aloud. */
  readonly characters?: number | undefined;
}

/** Price of an image of a quality, in US dollars. */
export interface ImageRate {
  /** As clients request it, in lower case: `standard`, `hd`, `high`. Undefined: the model has one. */
  readonly quality?: string | undefined;
  /** As the host draws it, `1024x1792`. Undefined: all other sizes. */
  readonly size?: string | undefined;
  readonly usd: number;
}

interface TokenRates {
  readonly input?: number | undefined;
  readonly output?: number | undefined;
  /** Prompt tokens read from the provider's cache. */
  readonly cachedInput?: number | undefined;
  /** Prompt tokens written to the provider's cache. */
  readonly cacheWrite?: number | undefined;
}
