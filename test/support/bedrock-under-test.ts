import type { ChatModel, Provider } from '../../src/core/models/index.ts';
import type { BedrockConfig } from '../../src/core/models/providers/bedrock/bedrock-config.ts';
import { createBedrockProvider } from '../../src/core/models/providers/bedrock/bedrock-provider.ts';
import type { Download } from '../../src/core/models/providers/openai-compatible/image-answer.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { AWS, answerEvents, textEvents } from './fake-bedrock.ts';
import { type FakeProvider, type FakeRequest, startFakeProvider } from './fake-provider.ts';

/** Bedrock provider connected to a fake host on loopback. */
export interface BedrockUnderTest {
  readonly host: FakeProvider;
  readonly provider: Provider & { readonly chat: ChatModel };
  /** Requests to ConverseStream, oldest first. */
  readonly asked: () => readonly FakeRequest[];
  close(): Promise<void>;
}

/** Starts the host, which answers `Hello, world!`, and the provider; `config` overrides the credentials of the tests. */
export async function startBedrock(
  config: Partial<BedrockConfig> = {},
  download?: Download,
): Promise<BedrockUnderTest> {
  const host = await startFakeProvider();
  host.behaveElsewhere(answerEvents(textEvents()));
  const provider = createBedrockProvider(
    { clock: systemClock, ...(download && { download }) },
    { kind: 'bedrock', name: 'bedrock', ...AWS, apiKeys: [], baseUrl: host.baseUrl.replace(/\/v1$/, ''), ...config },
  );
  return {
    host,
    provider,
    asked: () => host.requests.filter(({ url }) => url.endsWith('/converse-stream')),
    async close() {
      await provider.close();
      await host.close();
    },
  };
}

export const CLAUDE = 'us.anthropic.claude-sonnet-4-5-20250929-v1:0';
export const NOVA = 'amazon.nova-lite-v1:0';
