import { findAudioSeconds } from '../../../lib/formats/audio-duration/find-audio-seconds.ts';
import type { Logger } from '../../../lib/log/logger.ts';
import type { ModelTarget } from '../catalogue/catalogue.ts';
import type { Provider } from '../contract/provider.ts';
import type { Speech, SpeechStream } from '../contract/speech-model.ts';
import { tryInOrder } from './try-in-order.ts';

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
