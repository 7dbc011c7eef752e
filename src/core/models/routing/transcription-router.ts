import type { Logger } from '../../../lib/log/logger.ts';
import type { ModelTarget } from '../catalogue/catalogue.ts';
import type { Provider } from '../contract/provider.ts';
import type { Recording, Transcript } from '../contract/transcription-model.ts';
import { tryInOrder } from './try-in-order.ts';

/** Speech-to-text for the bot, whose users don't choose among models. */
export type TranscriptionRouter = ReturnType<typeof createTranscriptionRouter>;

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
