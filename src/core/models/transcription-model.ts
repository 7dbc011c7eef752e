/** Vendor-neutral interface of speech-to-text models. */
export interface TranscriptionModel {
  /**
   * Transcribes a recording. The text is empty if there is no speech.
   * @throws ProviderError subclasses of `model-errors.ts`; the signal's reason when aborted.
   */
  transcribe(recording: Recording, signal: AbortSignal): Promise<Transcript>;
}

/** A file with speech. */
export interface Recording {
  readonly bytes: Buffer;
  /** File name such as `voice.ogg`. Hosts derive the format from the extension. */
  readonly name: string;
  readonly mediaType?: string | undefined;
}

export interface Transcript {
  readonly text: string;
  /** Name of the provider. */
  readonly provider: string;
  /** The provider's name of the model. */
  readonly model: string;
}
