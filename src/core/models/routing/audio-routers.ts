import { findAudioSeconds } from '../../../lib/formats/audio-duration/find-audio-seconds.ts';
import type { Logger } from '../../../lib/log/logger.ts';
import type { ModelTarget } from '../catalogue/catalogue.ts';
import { AllProvidersFailedError, ProviderError, ProviderRejectedError } from '../contract/model-errors.ts';
import type { Provider } from '../contract/provider.ts';
import type { Speech, SpeechStream } from '../contract/speech-model.ts';
import type { Recording, Transcript } from '../contract/transcription-model.ts';

/** Speech-to-text for the bot, whose users don't choose among models. */
export type TranscriptionRouter = ReturnType<typeof createTranscriptionRouter>;

/** Text-to-speech for the bot, whose users don't choose among models. */
export type SpeechRouter = ReturnType<typeof createSpeechRouter>;

/** Creates a router over the `botSpeech` of the providers, in their order. */
export function createSpeechRouter(deps: {
  readonly logger: Logger;
  readonly listProviders: () => readonly Provider[];
}) {
  const listModels = () =>
    deps
      .listProviders()
      .flatMap(({ name, speech, botSpeech }) => (speech && botSpeech ? [{ name, speech, settings: botSpeech }] : []));
  return {
    /** Returns whether a provider has a model for the bot. */
    isAvailable: (): boolean => listModels().length > 0,
    /** Returns the models in the order in which they are tried. */
    listTargets: (): readonly ModelTarget[] =>
      listModels().map(({ name, settings }) => ({ provider: name, model: settings.model })),
    /**
     * Reads a text aloud with the first model that succeeds.
     * @param words at most `MAX_SPOKEN_CHARACTERS`, not blank.
     * @throws ProviderRejectedError, AllProvidersFailedError; the signal's reason.
     */
    speak(words: string, signal: AbortSignal): Promise<Speech> {
      const attempts = { logger: deps.logger, work: 'speech', models: listModels() };
      return tryInOrder(
        attempts,
        async ({ speech, settings }) => readWhole(await speech.speak({ ...settings, input: words }, signal)),
        signal,
      );
    },
  };
}

async function readWhole({ chunks, ...facts }: SpeechStream): Promise<Speech> {
  const bytes = Buffer.concat(await Array.fromAsync(chunks));
  return { ...facts, bytes, durationSeconds: facts.durationSeconds ?? findAudioSeconds(bytes) };
}

/** Creates a router over the `botTranscriptionModel` of the providers, in their order. */
export function createTranscriptionRouter(deps: {
  readonly logger: Logger;
  readonly listProviders: () => readonly Provider[];
}) {
  const listModels = () =>
    deps
      .listProviders()
      .flatMap(({ name, transcription, botTranscriptionModel: model }) =>
        transcription && model !== undefined ? [{ name, transcription, model }] : [],
      );
  return {
    /** Returns whether a provider has a model for the bot. */
    isAvailable: (): boolean => listModels().length > 0,
    /** Returns the models in the order in which they are tried. */
    listTargets: (): readonly ModelTarget[] => listModels().map(({ name, model }) => ({ provider: name, model })),
    /**
     * Transcribes a recording with the first model that succeeds.
     * @throws ProviderRejectedError, AllProvidersFailedError; the signal's reason.
     */
    transcribe(recording: Recording, signal: AbortSignal): Promise<Transcript> {
      const attempts = { logger: deps.logger, work: 'transcription', models: listModels() };
      const attempt = ({ transcription, model }: ReturnType<typeof listModels>[number]) =>
        transcription.transcribe({ model, recording }, signal);
      return tryInOrder(attempts, attempt, signal);
    },
  };
}

/**
 * Tries providers in order until one succeeds. For tasks without a choice of model by the user.
 * @param work name of the task in errors and the log: `transcription`.
 * @throws ProviderRejectedError, AllProvidersFailedError; the signal's reason.
 */
async function tryInOrder<Model, Result>(
  { logger, work, models }: { readonly logger: Logger; readonly work: string; readonly models: readonly Model[] },
  attempt: (model: Model) => Promise<Result>,
  signal: AbortSignal,
): Promise<Result> {
  const failures: ProviderError[] = [];
  for (const model of models) {
    try {
      return await attempt(model);
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof ProviderError) || error instanceof ProviderRejectedError) throw error;
      failures.push(error);
      logger.warn({ work, provider: error.provider, reason: error.message }, 'a provider failed');
    }
  }
  throw new AllProvidersFailedError(work, failures);
}
