import type { Logger } from '../../lib/logger.ts';
import type { Provider } from './provider.ts';
import type { TranscriptionModel } from './transcription-model.ts';
import { tryInOrder } from './try-in-order.ts';

/** Speech-to-text over all providers. Users don't choose among them. */
export interface TranscriptionRouter extends TranscriptionModel {
  /** Returns whether a provider has speech-to-text. */
  isAvailable(): boolean;
}

/**
 * Creates a router that tries the speech-to-text providers in order until one succeeds.
 * @throws ProviderRejectedError, AllProvidersFailedError; the signal's reason.
 */
export function createTranscriptionRouter(deps: {
  readonly logger: Logger;
  readonly listProviders: () => readonly Provider[];
}): TranscriptionRouter {
  const listModels = () => deps.listProviders().flatMap(({ transcription }) => transcription ?? []);
  return {
    isAvailable: () => listModels().length > 0,
    transcribe(recording, signal) {
      const attempts = { logger: deps.logger, work: 'transcription', models: listModels() };
      return tryInOrder(attempts, (model) => model.transcribe(recording, signal), signal);
    },
  };
}
