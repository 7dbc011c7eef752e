import type { Clock } from '../../lib/clock.ts';
import { createId } from '../../lib/ids.ts';
import type { UsageRecorder } from '../accounts/index.ts';
import type { Limits } from '../limits/index.ts';
import type { Recording, TranscriptionRouter } from '../models/index.ts';
import { type Caller, reserveFor } from './caller.ts';

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

interface TranscriptionDeps {
  readonly transcription: TranscriptionRouter;
  readonly usage: Pick<UsageRecorder, 'record'>;
  readonly clock: Clock;
  /** Unset: nothing is limited. */
  readonly limits?: Limits | undefined;
}

const NOTHING = { tokens: 0, pictures: 0 };

export function createTranscription({ transcription, usage, clock, limits }: TranscriptionDeps): Transcription {
  return {
    isAvailable: () => transcription.isAvailable(),
    async transcribe(caller, recording, signal) {
      const reservation = await reserveFor(limits, caller, { tokens: () => 0, moreTokens: 0, pictures: 0 });
      try {
        const startedAt = clock.now();
        const { text, provider, model } = await transcription.transcribe(recording, signal);
        usage.record({
          personId: caller.personId,
          keyId: caller.keyId,
          kind: 'transcription',
          replyId: createId('stt-'),
          model,
          provider,
          promptTokens: 0,
          completionTokens: 0,
          pictureCount: 0,
          costUsd: undefined,
          isEstimated: true,
          finishReason: 'stop',
          durationMs: Math.round(clock.now() - startedAt),
        });
        return text;
      } finally {
        reservation?.settle(NOTHING);
      }
    },
  };
}
