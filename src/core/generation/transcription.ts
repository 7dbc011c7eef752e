import type { Recording, TranscriptionRouter } from '../models/index.ts';
import type { Caller } from './caller.ts';
import { type CountingDeps, countRequest } from './counted-request.ts';

/** What is said in people's recordings, written down: the providers that listen, behind limits and books. */
export interface Transcription {
  /** Whether there is anybody to listen. */
  isAvailable(): boolean;
  /**
   * Counts as a request.
   * @returns the words; empty where nothing is said.
   * @throws LimitExceededError, ProviderRejectedError, AllProvidersFailedError; the signal's reason.
   */
  transcribe(caller: Caller, recording: Recording, signal: AbortSignal): Promise<string>;
}

interface TranscriptionDeps extends CountingDeps {
  readonly transcription: TranscriptionRouter;
}

const NAME = { kind: 'transcription', idPrefix: 'stt-' } as const;

export function createTranscription(deps: TranscriptionDeps): Transcription {
  const { transcription } = deps;
  return {
    isAvailable: () => transcription.isAvailable(),
    async transcribe(caller, recording, signal) {
      const { text } = await countRequest(deps, caller, NAME, () => transcription.transcribe(recording, signal));
      return text;
    },
  };
}
