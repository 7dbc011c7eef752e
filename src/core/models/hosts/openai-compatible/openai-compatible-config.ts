import type { ImagesDialect } from '../../../../protocols/openai-media/images/print-request.ts';
import type { ProviderModel } from '../../contract/provider.ts';
import type { SpeechFormat } from '../../contract/speech-model.ts';
import type { ProviderTimeouts } from '../endpoint/endpoint.ts';

/**
 * How images are generated: at OpenAI's images endpoint, by chat models that return images (OpenRouter's `modalities`),
 * or not at all, if a host serves its image models by another protocol.
 */
export type ImageProtocol = 'images' | 'chat' | 'none';

/** Content part by which a host of chat completions accepts PDF files. */
export type PdfPart = 'file' | 'image_url';

/** How the bot's answers are read aloud at OpenAI's `/audio/speech`. */
export interface SpeechConfig {
  /** The host's own name of the model. */
  readonly model: string;
  /** Default `alloy`. */
  readonly voice?: string | undefined;
  /** Default `opus` (in Ogg). */
  readonly format?: VoiceFormat | undefined;
}

/**
 * Formats that Telegram apps play as a voice message (Bot API, sendVoice) and hosts can send. `aac` of hosts is raw
 * ADTS, which they don't play.
 */
export const VOICE_FORMATS = ['opus', 'mp3'] as const satisfies readonly SpeechFormat[];
type VoiceFormat = (typeof VOICE_FORMATS)[number];

/** An endpoint that speaks OpenAI's chat completions protocol. */
export interface OpenAiCompatibleConfig {
  readonly kind: 'openai-compatible';
  /** Unique, lowercase; prefix of qualified model names. */
  readonly name: string;
  /** Everything before `/chat/completions`: `https://api.openai.com/v1`. */
  readonly baseUrl: string;
  /** Tried in order. A key that is refused or has reached its limit rests. Empty if the host needs none. */
  readonly apiKeys: readonly string[];
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Its models, if the settings list them; undefined: requested from the host. */
  readonly models?: readonly ProviderModel[] | undefined;
  /** URL of the list of models, if not `<baseUrl>/models`: absolute, or relative to `baseUrl`. */
  readonly modelsUrl?: string | undefined;
  /** Header for the key in requests for the list, if not `Authorization: Bearer`. */
  readonly modelsKeyHeader?: string | undefined;
  /** Names that come first in the list if the host serves them: defaults for users who have not chosen a model. */
  readonly preferredModels?: readonly string[] | undefined;
  /** Default `images`. */
  readonly imageProtocol?: ImageProtocol | undefined;
  /** Content part for PDF files: OpenAI's `file`, or the same as for images. Default `file`. */
  readonly pdfPart?: PdfPart | undefined;
  /** URL for reranking, if not `<baseUrl>/rerank`: absolute, or relative to `baseUrl`. */
  readonly rerankUrl?: string | undefined;
  /** Whether content parts and tools may have Anthropic's `cache_control`. Default false. */
  readonly takesCacheControl?: boolean | undefined;
  /** Used if `imageProtocol` is `images`. */
  readonly images?: ImagesDialect | undefined;
  /** Its speech-to-text model for the bot; listed in any case. Undefined: the host transcribes for API clients only. */
  readonly transcriptionModel?: string | undefined;
  /** Its text-to-speech model for the bot; listed in any case. Undefined: the host speaks for API clients only. */
  readonly speech?: SpeechConfig | undefined;
  /** Accepts any model name. Default false. */
  readonly acceptsAnyModel?: boolean | undefined;
  /** Share of first attempts among the providers of one model. Default 1. */
  readonly weight?: number | undefined;
  readonly timeouts?: Partial<ProviderTimeouts> | undefined;
}
