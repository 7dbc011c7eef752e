/** The contract between people's recordings and whatever writes down what is said in them. */
export interface TranscriptionModel {
  /**
   * Writes down what is said; empty where nothing is.
   * @throws ProviderError subclasses of `model-errors.ts`; the signal's reason when aborted.
   */
  transcribe(recording: Recording, signal: AbortSignal): Promise<Transcript>;
}

/** Speech in a file. */
export interface Recording {
  readonly bytes: Buffer;
  /** Tells hosts the format by its extension: `voice.ogg`. */
  readonly name: string;
  readonly mediaType?: string | undefined;
}

export interface Transcript {
  readonly text: string;
  /** Name of the provider that listened. */
  readonly provider: string;
  /** The provider's name of the model. */
  readonly model: string;
}
