import type { UnknownFields } from './chat-request.ts';

/** Vendor-neutral interface of text-to-speech models. */
export interface SpeechModel {
  /**
   * Reads a text aloud in its own language. Resolves with the first bytes; until then failover and proper status codes
   * are possible. An abort closes the connection to the provider at once, before and during the stream.
   * @throws ProviderError subclasses of `model-errors.ts`: `ProviderRejectedError` for a voice or format that the model
   * does not have; the signal's reason when aborted.
   */
  speak(request: SpeechRequest, signal: AbortSignal): Promise<SpeechStream>;
}

/** A text to read aloud. Undefined settings are left to the model. */
export interface SpeechRequest {
  readonly model: string;
  /** Not blank, at most `MAX_SPOKEN_CHARACTERS`. */
  readonly input: string;
  /** The host's own name of a voice, or the id of a voice that the operator created there. */
  readonly voice?: string | { readonly id: string } | undefined;
  readonly format?: SpeechFormat | undefined;
  /** 1 is the usual speed; OpenAI allows 0.25 to 4. */
  readonly speed?: number | undefined;
  /** How to speak, for models that follow instructions. */
  readonly instructions?: string | undefined;
  /** Extra fields of OpenAI's speech endpoint from the client. */
  readonly extraFields?: UnknownFields | undefined;
}

/** Maximum length of one request in Unicode code points, as at OpenAI's `/audio/speech`. */
export const MAX_SPOKEN_CHARACTERS = 4096;

/**
 * Audio formats under OpenAI's names: `opus` is Ogg with Opus, `aac` is raw ADTS, `pcm` is 24 kHz, mono, 16 bits, little
 * endian, without a header.
 */
export const SPEECH_FORMATS = ['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm'] as const;
export type SpeechFormat = (typeof SPEECH_FORMATS)[number];

/** Media types of the formats. */
export const SPEECH_MEDIA_TYPES: Readonly<Record<SpeechFormat, string>> = {
  mp3: 'audio/mpeg',
  opus: 'audio/ogg',
  aac: 'audio/aac',
  flac: 'audio/flac',
  wav: 'audio/wav',
  pcm: 'audio/pcm',
};

/** A sound file as it arrives. */
export interface SpeechStream extends SpeechFacts {
  /** Bytes of the file. The iteration throws if they break off. */
  readonly chunks: AsyncIterable<Buffer>;
}

/** A complete sound file. */
export interface Speech extends SpeechFacts {
  readonly bytes: Buffer;
}

interface SpeechFacts {
  /** One of `SPEECH_MEDIA_TYPES`. */
  readonly mediaType: string;
  /** Undefined if it is not known. */
  readonly durationSeconds?: number | undefined;
  /** Name of the provider. */
  readonly provider: string;
  /** The provider's name of the model. */
  readonly model: string;
  /** True for sounds without words. */
  readonly isDemonstration?: true;
}
