import type { ChatStream } from './chat-answer.ts';
import type { TokenUsage } from './chat-outcome.ts';
import type { UnknownFields } from './chat-request.ts';

/** Vendor-neutral interface of speech-to-text models. */
export interface TranscriptionModel {
  /**
   * Transcribes or translates a recording.
   * @throws ProviderError subclasses of `model-errors.ts`: `ProviderRejectedError` for a file or format that the model
   * does not read or write; the signal's reason when aborted.
   */
  transcribe(request: TranscriptionRequest, signal: AbortSignal): Promise<Transcript>;
  /**
   * The same with the text as it is written, in the format `json` or `diarized_json`. Resolves with the first event; of
   * a host that does not stream, it is the whole text. An abort closes the connection to the provider at once.
   * @throws like `transcribe`.
   */
  stream(request: TranscriptionRequest, signal: AbortSignal): Promise<ChatStream>;
}

/** A recording to write down. Undefined settings are left to the model. */
export interface TranscriptionRequest {
  readonly model: string;
  readonly recording: Recording;
  /** Default `transcribe`, which keeps the language; `translate` writes English. */
  readonly task?: 'transcribe' | 'translate' | undefined;
  /** Language of the recording, ISO 639-1: `de`. */
  readonly language?: string | undefined;
  /** Text that shows the model the style, or the spelling of names. */
  readonly prompt?: string | undefined;
  /** Default `json`. */
  readonly format?: TranscriptFormat | undefined;
  readonly temperature?: number | undefined;
  /** Extra fields of OpenAI's transcription endpoint from the client (`timestamp_granularities`, `include`, …). */
  readonly extraFields?: UnknownFields | undefined;
}

/**
 * Formats of transcripts under OpenAI's names: `verbose_json` has times, `diarized_json` speakers, `srt` and `vtt` are
 * subtitles.
 */
export const TRANSCRIPT_FORMATS = ['json', 'verbose_json', 'diarized_json', 'srt', 'vtt'] as const;
export type TranscriptFormat = (typeof TRANSCRIPT_FORMATS)[number];

/** A file with speech. */
export interface Recording {
  readonly bytes: Buffer;
  /** File name such as `voice.ogg`. Hosts derive the format from the extension. */
  readonly name: string;
  readonly mediaType?: string | undefined;
}

export interface Transcript {
  /** The words without surrounding spaces, or the subtitles if they were requested. Empty if there is no speech. */
  readonly text: string;
  /** The host's answer in the requested format; undefined if the provider does not speak OpenAI's protocol. */
  readonly native?: Buffer | undefined;
  /** Undefined if the host does not report tokens. */
  readonly usage?: TokenUsage | undefined;
  /** Duration of the recording; undefined if the host does not report it. */
  readonly audioSeconds?: number | undefined;
  /** Name of the provider. */
  readonly provider: string;
  /** The provider's name of the model. */
  readonly model: string;
}
