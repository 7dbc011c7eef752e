import type { Logger } from '../../lib/logger.ts';
import { askInTurn } from './ask-in-turn.ts';
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
    transcribe(recording, signal) {
      const turns = { logger: deps.logger, work: 'transcription', doers: listListeners() };
      return askInTurn(turns, (listener) => listener.transcribe(recording, signal), signal);
    },
  };
}
