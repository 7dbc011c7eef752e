import type { Logger } from '../../lib/logger.ts';
import { askInTurn } from './ask-in-turn.ts';
import type { Provider } from './provider.ts';
import type { SpeechModel } from './speech-model.ts';

/** All providers that speak behind one: people don't choose among them. */
export interface SpeechRouter extends SpeechModel {
  /** Whether there is anybody to speak. */
  isAvailable(): boolean;
}

/**
 * Asks the providers that speak, one after the other in their order, until one has spoken.
 * @throws ProviderRejectedError, AllProvidersFailedError; the signal's reason.
 */
export function createSpeechRouter(deps: {
  readonly logger: Logger;
  readonly listProviders: () => readonly Provider[];
}): SpeechRouter {
  const listSpeakers = () => deps.listProviders().flatMap(({ speech }) => speech ?? []);
  return {
    isAvailable: () => listSpeakers().length > 0,
    speak(words, signal) {
      const turns = { logger: deps.logger, work: 'speech', doers: listSpeakers() };
      return askInTurn(turns, (speaker) => speaker.speak(words, signal), signal);
    },
  };
}
