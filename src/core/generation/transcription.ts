import { findAudioSeconds } from '../../lib/formats/audio-duration/find-audio-seconds.ts';
import type { Recording, Transcript, TranscriptionRouter } from '../models/index.ts';
import { boundTranscriptCost } from './metering/audio-bounds.ts';
import type { AudioUse } from './metering/cost.ts';
import { AS_TRANSCRIPTION, countRequest, toBotUse } from './metering/counted-request.ts';
import type { MeteringDeps } from './metering/reserve-and-settle.ts';
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

interface TranscriptionDeps extends MeteringDeps {
  readonly transcription: TranscriptionRouter;
}

export function createTranscription(deps: TranscriptionDeps): Transcription {
  const { transcription } = deps;
  return {
    isAvailable: () => transcription.isAvailable(),
    async transcribe(requester, recording, signal) {
      const { text } = await countRequest(
        deps,
        requester,
        {
          ...AS_TRANSCRIPTION,
          signal,
          ...toBotUse(transcription.listTargets(), (prices) => boundTranscriptCost(recording.bytes, prices)),
        },
        () => transcription.transcribe(recording, signal),
        (transcript) => toTranscriptUse(transcript, recording),
      );
      return text;
    },
  };
}

/** Returns what the provider reports; without a reported duration, that of the recording if it is known. */
export function toTranscriptUse(
  { usage, audioSeconds }: Pick<Transcript, 'usage' | 'audioSeconds'>,
  { bytes }: Recording,
): AudioUse {
  return { tokens: usage, audioSeconds: audioSeconds ?? findAudioSeconds(bytes) };
}
