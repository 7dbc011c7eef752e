import type { AnthropicConfig } from '../../../src/core/models/hosts/anthropic/anthropic-config.ts';
import { createAnthropicProvider } from '../../../src/core/models/hosts/anthropic/anthropic-provider.ts';
import type { BedrockConfig } from '../../../src/core/models/hosts/bedrock/bedrock-config.ts';
import { createBedrockProvider } from '../../../src/core/models/hosts/bedrock/bedrock-provider.ts';
import type { OpenAiCompatibleConfig } from '../../../src/core/models/hosts/openai-compatible/openai-compatible-config.ts';
import { createOpenAiCompatibleProvider } from '../../../src/core/models/hosts/openai-compatible/openai-compatible-provider.ts';
import type { ChatEvent, ChatModel, ChatRequest, Provider } from '../../../src/core/models/index.ts';
import { type Clock, systemClock } from '../../../src/lib/clock.ts';
import type { Download } from '../../../src/lib/http/public-fetch.ts';
import { createLogger } from '../../../src/lib/log/logger.ts';
import { toChatRequest } from '../../../src/protocols/openai-chat/read-request.ts';
import { startFakeAnthropic } from './fake-anthropic.ts';
import { AWS, startFakeBedrock } from './fake-bedrock.ts';
import { type FakeProvider, startFakeProvider } from './fake-provider.ts';

/** Provider connected to a fake host on loopback. */
export interface ProviderUnderTest {
  readonly host: FakeProvider;
  readonly provider: Provider & { readonly chat: ChatModel };
  close(): Promise<void>;
}

/**
 * Starts the host and the provider. `config` overrides `{name: 'host', apiKeys: ['sk-first-key']}`; timeouts are thirty
 * seconds. Without `download`, images are downloaded as in production.
 */
export async function startProviderUnderTest(
  config: Partial<OpenAiCompatibleConfig> = {},
  clock: Clock = systemClock,
  download?: Download,
): Promise<ProviderUnderTest> {
  const host = await startFakeProvider();
  const provider = createOpenAiCompatibleProvider(
    { clock, logger: createLogger({ level: 'silent' }), ...(download && { download }) },
    {
      kind: 'openai-compatible',
      name: 'host',
      baseUrl: host.baseUrl,
      apiKeys: ['sk-first-key'],
      ...config,
      timeouts: { ...LONG, ...config.timeouts },
    },
  );
  return toProviderUnderTest(host, provider);
}

/** Does the same for a host that speaks Anthropic's protocol. */
export async function startAnthropicUnderTest(
  config: Partial<AnthropicConfig> = {},
  clock: Clock = systemClock,
): Promise<ProviderUnderTest> {
  const host = await startFakeAnthropic();
  const provider = createAnthropicProvider(
    { clock },
    {
      kind: 'anthropic',
      name: 'host',
      baseUrl: host.baseUrl,
      apiKeys: ['sk-first-key'],
      ...config,
      timeouts: { ...LONG, ...config.timeouts },
    },
  );
  return toProviderUnderTest(host, provider);
}

/** Does the same for a host that speaks AWS's Converse API. By default, requests are signed. */
export async function startBedrockUnderTest(
  config: Partial<BedrockConfig> = {},
  clock: Clock = systemClock,
  download?: Download,
): Promise<ProviderUnderTest> {
  const host = await startFakeBedrock();
  const provider = createBedrockProvider(
    { clock, ...(download && { download }) },
    {
      kind: 'bedrock',
      name: 'host',
      ...AWS,
      apiKeys: [],
      baseUrl: host.baseUrl.replace(/\/v1$/, ''),
      ...config,
      timeouts: { ...LONG, ...config.timeouts },
    },
  );
  return toProviderUnderTest(host, provider);
}

const LONG = { connectMs: 30_000, firstTokenMs: 30_000, idleMs: 30_000, totalMs: 30_000 };

function toProviderUnderTest(host: FakeProvider, provider: ProviderUnderTest['provider']): ProviderUnderTest {
  return {
    host,
    provider,
    async close() {
      await provider.close();
      await host.close();
    },
  };
}

/** Returns the body of a minimal request. */
export function helloBody(fields: Record<string, unknown> = {}) {
  return { model: 'fake-model', messages: [{ role: 'user', content: 'hello' }], ...fields };
}

/** Returns the same request as the API passes it to providers. */
export function helloRequest(fields: Record<string, unknown> = {}): ChatRequest {
  const body = helloBody(fields);
  return toChatRequest(body.model, body);
}

/** Returns a signal that never aborts. */
export function noAbort(): AbortSignal {
  return new AbortController().signal;
}

/** Returns the error that the promise rejects with; throws if it resolves. */
export async function failureOf(promise: PromiseLike<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error('expected a failure');
}

/** Reads a stream to its end: its native events as text, the text of the answer, all events, and its error, if any. */
export async function drain(
  stream: AsyncIterable<ChatEvent>,
): Promise<{ text: string; answer: string; events: ChatEvent[]; failure: unknown }> {
  const events: ChatEvent[] = [];
  let failure: unknown;
  try {
    for await (const event of stream) events.push(event);
  } catch (error) {
    failure = error;
  }
  const text = events.map(({ native }) => (native ? `data: ${native.data}\n\n` : '')).join('');
  const parts = events.flatMap((event) => event.parts);
  const answer = parts.map((part) => (part.type === 'text-delta' ? part.text : '')).join('');
  return { text, answer, events, failure };
}
