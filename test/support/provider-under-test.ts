import type { ChatEvent, ChatModel, ChatRequest, Provider } from '../../src/core/models/index.ts';
import type { Download } from '../../src/core/models/providers/openai-compatible/image-answer.ts';
import type { OpenAiCompatibleConfig } from '../../src/core/models/providers/openai-compatible/openai-compatible-config.ts';
import { createOpenAiCompatibleProvider } from '../../src/core/models/providers/openai-compatible/openai-compatible-provider.ts';
import { toChatRequest } from '../../src/http/api/chat-completions/chat-request.ts';
import { type Clock, systemClock } from '../../src/lib/clock.ts';
import { createLogger } from '../../src/lib/logger.ts';
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
      timeouts: { connectMs: 30_000, firstTokenMs: 30_000, idleMs: 30_000, totalMs: 30_000, ...config.timeouts },
    },
  );
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
export async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error('expected a failure');
}

/** Reads a stream to its end: its text, its events, and its error, if any. */
export async function drain(
  stream: AsyncIterable<ChatEvent>,
): Promise<{ text: string; events: ChatEvent[]; failure: unknown }> {
  const events: ChatEvent[] = [];
  let failure: unknown;
  try {
    for await (const event of stream) events.push(event);
  } catch (error) {
    failure = error;
  }
  const text = events.map(({ native }) => (native ? `data: ${native.data}\n\n` : '')).join('');
  return { text, events, failure };
}
