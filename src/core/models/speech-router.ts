import type { Logger } from '../../lib/logger.ts';
import type { Provider } from './provider.ts';
import type { SpeechModel } from './speech-model.ts';
import { tryInOrder } from './try-in-order.ts';

/** Text-to-speech over all providers. Users don't choose among them. */
export interface SpeechRouter extends SpeechModel {
  /** Returns whether a provider has text-to-speech. */
  isAvailable(): boolean;
}

/**
 * Creates a router that tries the text-to-speech providers in order until one succeeds.
 * @throws ProviderRejectedError, AllProvidersFailedError; the signal's reason.
 */
export function createSpeechRouter(deps: {
  readonly logger: Logger;
  readonly listProviders: () => readonly Provider[];
}): SpeechRouter {
  const listModels = () => deps.listProviders().flatMap(({ speech }) => speech ?? []);
  return {
    isAvailable: () => listModels().length > 0,
    speak(text, signal) {
      const attempts = { logger: deps.logger, work: 'speech', models: listModels() };
      return tryInOrder(attempts, (model) => model.speak(text, signal), signal);
    },
  };
}
