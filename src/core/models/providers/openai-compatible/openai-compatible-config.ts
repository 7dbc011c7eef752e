import type { AspectRatio, PictureSize } from '../../image-model.ts';
import type { ProviderModel } from '../../provider.ts';

/** Milliseconds; what is left out takes the default. */
export interface ProviderTimeouts {
  /** Until a connection stands. */
  readonly connectMs: number;
  /** From the request to the first event of a stream. A completion in one piece has `totalMs` for that. */
  readonly firstTokenMs: number;
  /** Silence between two reads of an answer. */
  readonly idleMs: number;
  /** The whole exchange. */
  readonly totalMs: number;
}

export const DEFAULT_PROVIDER_TIMEOUTS: ProviderTimeouts = {
  connectMs: 10_000,
  firstTokenMs: 60_000,
  idleMs: 60_000,
  totalMs: 600_000,
};

/**
 * How pictures are drawn: at OpenAI's images endpoint, by chat models whose answers hold pictures (OpenRouter's
 * `modalities`), or not at all, where a host lists image models that it serves in some other way.
 */
export type ImageProtocol = 'images' | 'chat' | 'none';

/** How a host's images endpoint differs from OpenAI's; what is left out is as OpenAI has it. */
export interface ImagesDialect {
  /** How it is told the shape of a picture. Default `size`: `"1024x1024"`. */
  readonly shape?: 'size' | 'image_size' | 'width-and-height' | 'aspect_ratio';
  /** The only sizes it takes. Default: those of the model's family, else any. */
  readonly sizes?: readonly PictureSize[];
  /** The only ratios it takes with `aspect_ratio`. */
  readonly ratios?: readonly AspectRatio[];
  /** The field for the number of pictures. Default `n`. */
  readonly countField?: string;
  /** What `response_format` says for base64; null where there is no such field. Default `b64_json`. */
  readonly responseFormat?: string | null;
  /** Which models edit pictures, besides OpenAI's own at OpenAI's edits endpoint. */
  readonly editing?: ImagesEditing;
}

export interface ImagesEditing {
  /** Matches the names of models that edit. */
  readonly models: RegExp;
  /**
   * Where the picture goes: a file at `/images/edits` as OpenAI wants it, an object with a data URL at `/images/edits`,
   * or a data URL in the field of that name at `/images/generations`.
   */
  readonly source: 'file' | 'object' | 'image_url' | 'image';
}

/** How a host reads aloud at OpenAI's `/audio/speech`. */
export interface SpeechConfig {
  /** The host's own name. */
  readonly model: string;
  /** Default `alloy`. */
  readonly voice?: string | undefined;
  /** Default `opus` (in Ogg). */
  readonly format?: SpeechFormat | undefined;
}

/** What apps of Telegram play as a voice message, as OpenAI names it. */
export type SpeechFormat = (typeof SPEECH_FORMATS)[number];
export const SPEECH_FORMATS = ['opus', 'mp3'] as const;

/** An endpoint that speaks OpenAI's chat completions protocol. */
export interface OpenAiCompatibleConfig {
  readonly kind: 'openai-compatible';
  /** Unique, lowercase; qualifies model names. */
  readonly name: string;
  /** Everything before `/chat/completions`: `https://api.openai.com/v1`. */
  readonly baseUrl: string;
  /** Tried in order; one that is refused or used up is rested. Empty where the host wants none. */
  readonly apiKeys: readonly string[];
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** What the host serves, where the settings say it; undefined asks the host. */
  readonly models?: readonly ProviderModel[] | undefined;
  /** Where the list of models is, if not at `<baseUrl>/models`: an address, or one below `baseUrl`. */
  readonly modelsUrl?: string | undefined;
  /** How the list of models wants the key, where that differs from `Authorization: Bearer`. */
  readonly modelsKeyHeader?: string | undefined;
  /** Sent with requests for the list of models, besides `headers`. */
  readonly modelsHeaders?: Readonly<Record<string, string>> | undefined;
  /** Names that come first in the list, where the host serves them: what people get until they choose. */
  readonly preferredModels?: readonly string[] | undefined;
  /** Default `images`. */
  readonly imageProtocol?: ImageProtocol | undefined;
  /** Counts where `imageProtocol` is `images`. */
  readonly images?: ImagesDialect | undefined;
  /** Which of its models writes down what is said in recordings; undefined where none does. */
  readonly transcriptionModel?: string | undefined;
  /** Which of its models reads aloud, and how; undefined where none does. */
  readonly speech?: SpeechConfig | undefined;
  /** Lets any model name through. Default false. */
  readonly acceptsAnyModel?: boolean | undefined;
  /** Share of first tries among the providers of one model. Default 1. */
  readonly weight?: number | undefined;
  readonly timeouts?: Partial<ProviderTimeouts> | undefined;
}
