/** Vendor-neutral interface of text-to-speech models. */
export interface SpeechModel {
  /**
   * Reads a text aloud in its own language.
   * @param words at most `MAX_SPOKEN_CHARACTERS`, not blank.
   * @throws ProviderError subclasses of `model-errors.ts`; the signal's reason when aborted.
   */
  speak(words: string, signal: AbortSignal): Promise<Speech>;
}

/** Maximum length of one request in UTF-16 units (OpenAI's `/audio/speech`: 4096 characters). */
export const MAX_SPOKEN_CHARACTERS = 4096;

export interface Speech {
  readonly bytes: Buffer;
  /**
   * `audio/ogg` (Opus) or `audio/mpeg`: formats that apps play as a voice message; `audio/wav` for the demonstration.
   */
  readonly mediaType: string;
  /** Undefined if it can't be read from the file. */
  readonly durationSeconds: number | undefined;
  /** Name of the provider. */
  readonly provider: string;
  /** The provider's name of the model. */
  readonly model: string;
  /** True for sounds without words. */
  readonly isDemonstration?: true;
}
