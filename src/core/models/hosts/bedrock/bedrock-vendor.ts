import { once } from '../../../../lib/async/once.ts';
import { UntranslatableError } from '../../../../protocols/untranslatable-error.ts';
import type { ChatRequest } from '../../contract/chat-request.ts';
import type { SdkVendor } from '../ai-sdk/sdk-vendor.ts';
import { type BedrockConfig, toServiceUrl } from './bedrock-config.ts';
import { boundEvents } from './bound-events.ts';
import { withoutToolCalls } from './tool-history.ts';

/** Loaded only where Bedrock is configured. */
export const loadBedrockSdk = once(() => import('@ai-sdk/amazon-bedrock'));

export function createBedrockVendor(config: BedrockConfig): SdkVendor {
  const { region, credentials, apiKeys } = config;
  return {
    metadataKey: 'amazonBedrock',
    async createModel(modelId, fetch) {
      const { createAmazonBedrock } = await loadBedrockSdk();
      // The endpoint sends the key. An empty key makes the package sign; without one it would read the environment.
      const apiKey = apiKeys.length > 0 ? 'sent-by-the-endpoint' : '';
      const baseURL = toServiceUrl(config, 'bedrock-runtime');
      const boundedFetch: typeof fetch = async (...request) => boundEvents(await fetch(...request), config.name);
      return createAmazonBedrock({ region, ...credentials, apiKey, baseURL, fetch: boundedFetch }).languageModel(
        modelId,
      );
    },
    prepare(request) {
      refuseUnsupported(request);
      const { tools = [], toolChoice } = request;
      if (tools.length > 0 && toolChoice !== 'none') return request;
      return { ...request, tools: undefined, toolChoice: undefined, messages: withoutToolCalls(request.messages) };
    },
    toProviderOptions: ({ allowsParallelToolCalls }) =>
      allowsParallelToolCalls === false ? { anthropic: { disableParallelToolUse: true } } : undefined,
  };
}

function refuseUnsupported({ model, tools = [], allowsParallelToolCalls, responseFormat }: ChatRequest): void {
  if (allowsParallelToolCalls === false && tools.length > 0 && !/anthropic/.test(model))
    throw new UntranslatableError('parallel_tool_calls', "'parallel_tool_calls' can't be false with this model.");
  // The package requests JSON by a tool of this name.
  if (responseFormat?.type === 'json' && tools.some(({ name }) => name === 'json'))
    throw new UntranslatableError('tools', "With 'response_format', no tool may have the name 'json'.");
}
