import type { Clock } from '../../lib/clock.ts';
import { createId } from '../../lib/ids.ts';
import type { UsageRecorder } from '../accounts/index.ts';
import type { Limits } from '../limits/index.ts';
import type { Speech, SpeechRouter } from '../models/index.ts';
import { type Caller, reserveFor } from './caller.ts';

/** Words that are read aloud: the providers that speak, behind limits and books. */
export interface SpokenWords {
  /** Whether there is anybody to speak. */
  isAvailable(): boolean;
  /**
   * Counts as a request.
   * @param words not blank, at most `MAX_SPOKEN_CHARACTERS`.
   * @throws LimitExceededError, ProviderRejectedError, AllProvidersFailedError; the signal's reason.
   */
  speak(caller: Caller, words: string, signal: AbortSignal): Promise<Speech>;
}

interface SpokenWordsDeps {
  readonly speech: SpeechRouter;
  readonly usage: Pick<UsageRecorder, 'record'>;
  readonly clock: Clock;
  /** Unset: nothing is limited. */
  readonly limits?: Limits | undefined;
}

const NOTHING = { tokens: 0, pictures: 0 };

export function createSpokenWords({ speech, usage, clock, limits }: SpokenWordsDeps): SpokenWords {
  return {
    isAvailable: () => speech.isAvailable(),
    async speak(caller, words, signal) {
      const reservation = await reserveFor(limits, caller, { tokens: () => 0, moreTokens: 0, pictures: 0 });
      try {
        const startedAt = clock.now();
        const spoken = await speech.speak(words, signal);
        usage.record({
          personId: caller.personId,
          keyId: caller.keyId,
          kind: 'speech',
          replyId: createId('tts-'),
          model: spoken.model,
          provider: spoken.provider,
          promptTokens: 0,
          completionTokens: 0,
          pictureCount: 0,
          costUsd: undefined,
          isEstimated: true,
          finishReason: 'stop',
          durationMs: Math.round(clock.now() - startedAt),
        });
        return spoken;
      } finally {
        reservation?.settle(NOTHING);
      }
    },
  };
}
