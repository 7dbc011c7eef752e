import type { Dispatcher } from 'undici';
import type { Clock } from '../../../../lib/clock.ts';
import type { HeldBytes } from '../../../../lib/http/held-bytes.ts';
import { createHttpAgent } from '../../../../lib/http/http-client.ts';
import type { ModelFacts } from '../../../../protocols/anthropic-messages/model-facts.ts';
import { MAX_TOOL_NAME } from '../../../../protocols/anthropic-messages/vendor-rules.ts';
import { withHostToolNames } from '../../../../protocols/host-tool-names.ts';
import { preferredFirst } from '../../catalogue/model-listing.ts';
import type { ChatModel } from '../../contract/chat-model.ts';
import type { Provider } from '../../contract/provider.ts';
import { createEndpoint, DEFAULT_PROVIDER_TIMEOUTS } from '../endpoint/endpoint.ts';
import type { AnthropicConfig } from './anthropic-config.ts';
import { listModels } from './list-models.ts';
import { createMessagesChat } from './messages-chat.ts';
import { createMessagesHost } from './messages-host.ts';

export interface AnthropicDeps {
  readonly clock: Clock;
  /** Counts the answers that are read whole. Default: they are not counted. */
  readonly heldBytes?: HeldBytes | undefined;
  /** Used for requests instead of an own pool; not closed with the provider. */
  readonly dispatcher?: Dispatcher;
}

/** Creates a provider for a host that speaks Anthropic's Messages API. */
export function createAnthropicProvider(
  deps: AnthropicDeps,
  config: AnthropicConfig,
): Provider & { readonly chat: ChatModel } {
  const timeouts = { ...DEFAULT_PROVIDER_TIMEOUTS, ...config.timeouts };
  const dispatcher = deps.dispatcher ?? createHttpAgent({ connectMs: timeouts.connectMs });
  const endpoint = createEndpoint({ ...deps, dispatcher }, config, timeouts);
  const host = createMessagesHost({ endpoint }, config);
  let facts: ReadonlyMap<string, ModelFacts> = new Map();
  const findFacts = (model: string) => facts.get(model);
  return {
    name: config.name,
    chat: withHostToolNames(
      createMessagesChat({ clock: deps.clock, endpoint, host, findFacts }, config),
      MAX_TOOL_NAME,
    ),
    image: undefined,
    acceptsAnyModel: config.acceptsAnyModel ?? false,
    weight: config.weight ?? 1,
    async listModels(signal) {
      if (config.models) return config.models;
      const listed = await listModels(host, config.name, signal);
      facts = listed.facts;
      return preferredFirst(listed.models, config.preferredModels ?? []);
    },
    async close() {
      if (dispatcher !== deps.dispatcher) await dispatcher.destroy();
    },
  };
}
