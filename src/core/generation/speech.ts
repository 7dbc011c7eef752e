import { countCharacters } from '../../lib/text.ts';
import type { Speech, SpeechRouter } from '../models/index.ts';
import { boundSpeechCost } from './metering/audio-bounds.ts';
import { AS_SPEECH, countRequest, toBotUse } from './metering/counted-request.ts';
import type { MeteringDeps } from './metering/reserve-and-settle.ts';
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

interface TextToSpeechDeps extends MeteringDeps {
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
        { ...AS_SPEECH, ...toBotUse(speech.listTargets(), (prices) => boundSpeechCost(words, prices)), signal },
        () => speech.speak(words, signal),
        ({ durationSeconds }) => ({ characters: countCharacters(words), audioSeconds: durationSeconds }),
      ),
  };
}
