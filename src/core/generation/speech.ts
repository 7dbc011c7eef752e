import type { Speech, SpeechRouter } from '../models/index.ts';
import { AS_SPEECH, type CountingDeps, countRequest } from './counted-request.ts';
import type { Requester } from './requester.ts';

/** Text-to-speech with limits and usage recording. */
export interface TextToSpeech {
  /** Returns whether a provider supports text-to-speech. */
  isAvailable(): boolean;
  /**
   * Converts text to speech. Counts as one request.
   * @param words not blank, at most `MAX_SPOKEN_CHARACTERS`.
   * @throws LimitExceededError, ProviderRejectedError, AllProvidersFailedError; the signal's reason.
   */
  speak(requester: Requester, words: string, signal: AbortSignal): Promise<Speech>;
}

interface TextToSpeechDeps extends CountingDeps {
  readonly speech: SpeechRouter;
}

export function createTextToSpeech(deps: TextToSpeechDeps): TextToSpeech {
  const { speech } = deps;
  return {
    isAvailable: () => speech.isAvailable(),
    speak: (requester, words, signal) =>
      countRequest(
        deps,
        requester,
        AS_SPEECH,
        () => speech.speak(words, signal),
        ({ durationSeconds }) => ({ characters: countCharacters(words), audioSeconds: durationSeconds }),
      ),
  };
}

/** Counts Unicode code points, as hosts do. */
export function countCharacters(text: string): number {
  let count = 0;
  for (const _character of text) count += 1;
  return count;
}
