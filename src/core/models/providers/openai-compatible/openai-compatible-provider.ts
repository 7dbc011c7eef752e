import type { Dispatcher } from 'undici';
import type { Clock } from '../../../../lib/clock.ts';
import { createHttpAgent } from '../../../../lib/http-client.ts';
import type { Logger } from '../../../../lib/logger.ts';
import type { Provider } from '../../provider.ts';
import { createChat } from './chat.ts';
import { createEndpoint } from './endpoint.ts';
import { listHostModels } from './list-host-models.ts';
import { DEFAULT_PROVIDER_TIMEOUTS, type OpenAiCompatibleConfig } from './openai-compatible-config.ts';

export interface OpenAiCompatibleDeps {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Carries the requests instead of an own pool; not closed with the provider. */
  readonly dispatcher?: Dispatcher;
}

/** A provider for any endpoint that speaks OpenAI's protocol: hosted, or a server at home. */
export function createOpenAiCompatibleProvider(deps: OpenAiCompatibleDeps, config: OpenAiCompatibleConfig): Provider {
  const timeouts = { ...DEFAULT_PROVIDER_TIMEOUTS, ...config.timeouts };
  const dispatcher = deps.dispatcher ?? createHttpAgent({ connectMs: timeouts.connectMs });
  const endpoint = createEndpoint({ clock: deps.clock, dispatcher }, config, timeouts);
  const { models } = config;
  return {
    name: config.name,
    chat: createChat({ logger: deps.logger, endpoint }, config),
    acceptsAnyModel: config.acceptsAnyModel ?? false,
    weight: config.weight ?? 1,
    listModels: models ? async () => models : (signal) => listHostModels(endpoint, config, signal),
    async close() {
      if (dispatcher !== deps.dispatcher) await dispatcher.destroy();
    },
  };
}
