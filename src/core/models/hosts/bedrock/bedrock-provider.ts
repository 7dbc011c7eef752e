import type { Dispatcher } from 'undici';
import type { Clock } from '../../../../lib/clock.ts';
import type { HeldBytes } from '../../../../lib/http/held-bytes.ts';
import { createHttpAgent } from '../../../../lib/http/http-client.ts';
import { type Download, fetchPublic } from '../../../../lib/http/public-fetch.ts';
import { withHostToolNames } from '../../../../protocols/host-tool-names.ts';
import type { ChatModel } from '../../contract/chat-model.ts';
import type { Provider } from '../../contract/provider.ts';
import { createSdkChat } from '../ai-sdk/sdk-chat.ts';
import { createEndpoint, DEFAULT_PROVIDER_TIMEOUTS } from '../endpoint/endpoint.ts';
import { type BedrockConfig, listBedrockSecrets } from './bedrock-config.ts';
import { listBedrockModels } from './bedrock-models.ts';
import { createBedrockVendor, loadBedrockSdk } from './bedrock-vendor.ts';

export interface BedrockDeps {
  readonly clock: Clock;
  /** Counts the answers that are read whole. Default: they are not counted. */
  readonly heldBytes?: HeldBytes | undefined;
  /** Used for requests instead of an own pool; not closed with the provider. */
  readonly dispatcher?: Dispatcher;
  /** Downloads images and files that messages contain as addresses. Default: from public addresses only. */
  readonly download?: Download;
}

/** https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ToolSpecification.html */
const MAX_TOOL_NAME = 64;

/** Creates a provider for the chat models of Amazon Bedrock. */
export function createBedrockProvider(
  deps: BedrockDeps,
  config: BedrockConfig,
): Provider & { readonly chat: ChatModel } {
  const { name, apiKeys, headers } = config;
  const timeouts = { ...DEFAULT_PROVIDER_TIMEOUTS, ...config.timeouts };
  const dispatcher = deps.dispatcher ?? createHttpAgent({ connectMs: timeouts.connectMs });
  const secrets = listBedrockSecrets(config);
  const endpoint = createEndpoint({ ...deps, dispatcher }, { name, apiKeys, headers, secrets }, timeouts);
  const download: Download = deps.download ?? ((url, options) => fetchPublic(deps, url, options));
  return {
    name,
    chat: withHostToolNames(
      createSdkChat({ endpoint, download }, { provider: name, secrets }, createBedrockVendor(config)),
      MAX_TOOL_NAME,
    ),
    image: undefined,
    acceptsAnyModel: config.acceptsAnyModel ?? false,
    weight: config.weight ?? 1,
    async listModels(signal) {
      // Loading takes long enough to delay the first answer.
      await loadBedrockSdk();
      return config.models ?? (await listBedrockModels(endpoint, config, signal));
    },
    async close() {
      if (dispatcher !== deps.dispatcher) await dispatcher.destroy();
    },
  };
}
