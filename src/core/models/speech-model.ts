/** The contract between answers that are to be heard and whatever speaks them. */
export interface SpeechModel {
  /**
   * Reads the words aloud, in the language that they are written in.
   * @param words at most `MAX_SPOKEN_CHARACTERS`, not blank.
   * @throws ProviderError subclasses of `model-errors.ts`; the signal's reason when aborted.
   */
  speak(words: string, signal: AbortSignal): Promise<Speech>;
}

/** What hosts take at once, in UTF-16 units (OpenAI's `/audio/speech`: 4096 characters). */
export const MAX_SPOKEN_CHARACTERS = 4096;

export interface Speech {
  readonly bytes: Buffer;
  /** `audio/ogg` (Opus) or `audio/mpeg`: what apps play as a voice message; `audio/wav` of the demonstration. */
  readonly mediaType: string;
  /** Undefined where the file does not say it plainly. */
  readonly durationSeconds: number | undefined;
  /** Name of the provider that spoke. */
  readonly provider: string;
  /** The provider's name of the model. */
  readonly model: string;
  /** True for sounds that are no words. */
  readonly isDemonstration?: true;
}
