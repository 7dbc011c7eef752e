import type { Recording, TranscriptionRouter } from '../models/index.ts';
import { AS_TRANSCRIPTION, type CountingDeps, countRequest } from './counted-request.ts';
import type { Requester } from './requester.ts';

/** Transcription of recordings with limits and usage recording. */
export interface Transcription {
  /** Returns whether a provider supports transcription. */
  isAvailable(): boolean;
  /**
   * Transcribes a recording. Counts as one request.
   * @returns the text; empty if there is no speech.
   * @throws LimitExceededError, ProviderRejectedError, AllProvidersFailedError; the signal's reason.
   */
  transcribe(requester: Requester, recording: Recording, signal: AbortSignal): Promise<string>;
}

interface TranscriptionDeps extends CountingDeps {
  readonly transcription: TranscriptionRouter;
}

export function createTranscription(deps: TranscriptionDeps): Transcription {
  const { transcription } = deps;
  return {
    isAvailable: () => transcription.isAvailable(),
    async transcribe(requester, recording, signal) {
      const { text } = await countRequest(deps, requester, AS_TRANSCRIPTION, () =>
        transcription.transcribe(recording, signal),
      );
      return text;
    },
  };
}
