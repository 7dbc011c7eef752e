import type { Logger } from '../../lib/logger.ts';
import { AllProvidersFailedError, ProviderError, ProviderRejectedError } from './model-errors.ts';
import type { Provider } from './provider.ts';
import type { TranscriptionModel } from './transcription-model.ts';

/** All providers that listen behind one: people don't choose among them. */
export interface TranscriptionRouter extends TranscriptionModel {
  /** Whether there is anybody to listen. */
  isAvailable(): boolean;
}

/**
 * Asks the providers that listen, one after the other in their order, until one has written down what was said.
 * @throws ProviderRejectedError, AllProvidersFailedError; the signal's reason.
 */
export function createTranscriptionRouter(deps: {
  readonly logger: Logger;
  readonly listProviders: () => readonly Provider[];
}): TranscriptionRouter {
  const listListeners = () => deps.listProviders().flatMap(({ transcription }) => transcription ?? []);
  return {
    isAvailable: () => listListeners().length > 0,
    async transcribe(recording, signal) {
      const failures: ProviderError[] = [];
      for (const listener of listListeners()) {
        try {
          return await listener.transcribe(recording, signal);
        } catch (error) {
          signal.throwIfAborted();
          if (!(error instanceof ProviderError) || error instanceof ProviderRejectedError) throw error;
          failures.push(error);
          deps.logger.warn({ provider: error.provider, reason: error.message }, 'a provider failed to listen');
        }
      }
      throw new AllProvidersFailedError('transcription', failures);
    },
  };
}
