import { once } from '../../../../lib/async/once.ts';
import {
  type AssistantMessage,
  type ChatMessage,
  type ChatRequest,
  type ContentPart,
  listTexts,
} from '../../contract/chat-request.ts';
import { ProviderUnavailableError, UntranslatableError } from '../../contract/model-errors.ts';
import type { SdkVendor } from '../ai-sdk/call-options.ts';
import { type BedrockConfig, toServiceUrl } from './bedrock-config.ts';

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
    throw new UntranslatableError('parallel_tool_calls', 'must not be false with this model');
  // The package requests JSON by a tool of this name.
  if (responseFormat?.type === 'json' && tools.some(({ name }) => name === 'json'))
    throw new UntranslatableError('tools', "must not have the name 'json' together with 'response_format'");
}

/** The package puts an event together and parses it at once. Those of Bedrock have some hundred bytes. */
const MAX_EVENT_BYTES = 256 * 1024;

const LENGTH_BYTES = 4;

/** Bounds the events of an answer in AWS's event stream encoding: each begins with its length. */
function boundEvents(response: Response, provider: string): Response {
  let length = 0;
  /** Bytes of the event that were read, its length included. */
  let read = 0;
  const bound = new TransformStream<Uint8Array, Uint8Array>({
    transform(bytes, controller) {
      for (let at = 0; at < bytes.length; ) {
        if (read < LENGTH_BYTES) {
          length = length * 256 + (bytes[at] ?? 0);
          read += 1;
          at += 1;
        } else {
          const size = Math.min(length - read, bytes.length - at);
          read += size;
          at += size;
        }
        if (read < LENGTH_BYTES) continue;
        if (length <= LENGTH_BYTES || length > MAX_EVENT_BYTES)
          return controller.error(
            new ProviderUnavailableError(provider, `${provider} sent an event that is too large`, {
              isBadAnswer: true,
            }),
          );
        if (read === length) [length, read] = [0, 0];
      }
      controller.enqueue(bytes);
    },
  });
  return new Response(response.body?.pipeThrough(bound), response);
}

/**
 * Describes earlier tool calls and their results in words: Bedrock accepts them only in requests with tools, and it has
 * no choice that forbids calls.
 */
function withoutToolCalls(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  const names = new Map<string, string>();
  return messages.map((message) => {
    if (message.role === 'assistant') {
      for (const { id, name } of message.toolCalls ?? []) names.set(id, name);
      return describeCalls(message);
    }
    return message.role === 'tool' ? describeResult(message, names.get(message.toolCallId)) : message;
  });
}

function describeCalls({ toolCalls = [], ...message }: AssistantMessage): ChatMessage {
  if (toolCalls.length === 0) return message;
  const calls = toolCalls.map(
    ({ name, arguments: argumentsText }) => `[Called the tool ${name} with ${argumentsText}]`,
  );
  return { role: 'assistant', content: [...listTexts(message.content).filter(Boolean), ...calls].join('\n\n') };
}

function describeResult(
  { content }: Extract<ChatMessage, { readonly role: 'tool' }>,
  name = 'without a name',
): ChatMessage {
  const parts: readonly ContentPart[] = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  return { role: 'user', content: [{ type: 'text', text: `[Result of the tool ${name}]` }, ...parts] };
}
