import { countCharacters } from '../../lib/text.ts';
import {
  type ChatStream,
  type Router,
  type SpeechRequest,
  type SpeechStream,
  type Transcript,
  type TranscriptionRequest,
  watchSpeech,
  watchStream,
} from '../models/index.ts';
import { boundSpeechCost, boundTranscriptCost } from './metering/audio-bounds.ts';
import type { AudioUse } from './metering/cost.ts';
import {
  AS_SPEECH,
  AS_TRANSCRIPTION,
  type BoundedUse,
  type CountedAs,
  countRequest,
  reserveCounted,
} from './metering/counted-request.ts';
import type { MeteringDeps } from './metering/reserve-and-settle.ts';
import type { Requester } from './requester.ts';
import { toTranscriptUse } from './transcription.ts';

interface AudioGenerationDeps extends MeteringDeps {
  readonly models: Pick<Router, 'speech' | 'transcription'>;
}

interface AnswerFacts {
  readonly provider: string;
  /** The provider's name of the model. */
  readonly providerModel: string;
  readonly used: AudioUse;
}

/** Creates the service. A stream is recorded when it ends, complete or not. */
export function createAudioGeneration(deps: AudioGenerationDeps) {
  const { speech, transcription } = deps.models;

  const open = async <Stream>(
    { requester, signal, ...use }: BoundedUse & { requester: Requester; signal: AbortSignal },
    countedAs: CountedAs,
    send: () => Promise<Stream>,
    watch: (stream: Stream, onEnd: (error: unknown, isLeft: boolean) => void) => Stream,
    readFacts: (stream: Stream) => AnswerFacts,
  ): Promise<Stream> => {
    const counted = await reserveCounted(deps, requester, countedAs, use);
    try {
      const stream = await send();
      let isEnded = false;
      return watch(stream, (error, isLeft) => {
        if (isEnded) return;
        isEnded = true;
        const finishReason = isLeft || signal.aborted ? 'stopped' : error === undefined ? 'stop' : undefined;
        const facts = readFacts(stream);
        counted.record({ model: use.model, ...facts, finishReason });
        counted.settle();
      });
    } catch (error) {
      if (signal.aborted && error === signal.reason) counted.recordLeft();
      counted.settle();
      throw error;
    }
  };

  return {
    speak: (requester: Requester, request: SpeechRequest, signal: AbortSignal): Promise<SpeechStream> =>
      open(
        { requester, ...toSpokenUse(request), signal },
        AS_SPEECH,
        () => speech.speak(request, signal),
        watchSpeech,
        ({ provider, model, durationSeconds }) => ({
          provider,
          providerModel: model,
          used: { characters: countCharacters(request.input), audioSeconds: durationSeconds },
        }),
      ),
    transcribe: (requester: Requester, request: TranscriptionRequest, signal: AbortSignal): Promise<Transcript> =>
      countRequest(
        deps,
        requester,
        { ...AS_TRANSCRIPTION, ...toBoundedUse(request), signal },
        () => transcription.transcribe(request, signal),
        (transcript) => toTranscriptUse(transcript, request.recording),
      ),
    streamTranscript: (requester: Requester, request: TranscriptionRequest, signal: AbortSignal): Promise<ChatStream> =>
      open(
        { requester, ...toBoundedUse(request), signal },
        AS_TRANSCRIPTION,
        () => transcription.stream(request, signal),
        watchStream,
        ({ outcome }) => ({
          provider: outcome.provider,
          providerModel: outcome.model,
          used: toTranscriptUse({ usage: outcome.usage }, request.recording),
        }),
      ),
  };
}

function toSpokenUse({ model, input, extraFields }: SpeechRequest): BoundedUse {
  return { model, extraFields, bound: (prices) => boundSpeechCost(input, prices) };
}

function toBoundedUse({ model, recording, extraFields }: TranscriptionRequest): BoundedUse {
  return { model, extraFields, bound: (prices) => boundTranscriptCost(recording.bytes, prices) };
}
