import { createDemoProvider } from '../../demo/demo-provider.ts';
import { createAnthropicProvider } from '../../src/core/models/hosts/anthropic/anthropic-provider.ts';
import { createOpenAiCompatibleProvider } from '../../src/core/models/hosts/openai-compatible/openai-compatible-provider.ts';
import { createMemoryDiscoveryCache, createModels } from '../../src/core/models/index.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { createLogger } from '../../src/lib/log/logger.ts';
import { answerMessage, startFakeAnthropic } from '../support/hosts/fake-anthropic.ts';
import { answerEvents, CLAUDE, textEvents } from '../support/hosts/fake-bedrock.ts';
import { answerHello, startFakeProvider } from '../support/hosts/fake-provider.ts';
import { startBedrockUnderTest } from '../support/hosts/provider-under-test.ts';
import { describeChatModel } from './chat-model-contract.ts';

const deps = { clock: systemClock, logger: createLogger({ level: 'silent' }) };

async function startHost() {
  const host = await startFakeProvider();
  // Pauses before each delta, so that a test can abort in the middle of the stream.
  host.behaveUsually(answerHello({ everyMs: 5 }));
  return host;
}

describeChatModel('the demonstration', async () => {
  const provider = createDemoProvider(deps, { kind: 'demo', wordsPerSecond: 500 });
  return { model: provider.chat, modelName: 'demo', close: () => provider.close() };
});

describeChatModel('an OpenAI-compatible provider', async () => {
  const host = await startHost();
  const provider = createOpenAiCompatibleProvider(deps, {
    kind: 'openai-compatible',
    name: 'host',
    baseUrl: host.baseUrl,
    apiKeys: ['sk-first-key'],
  });
  return {
    model: provider.chat,
    modelName: 'fake-model',
    async close() {
      await provider.close();
      await host.close();
    },
  };
});

describeChatModel('an Anthropic provider', async () => {
  const host = await startFakeAnthropic();
  host.behaveUsually(answerMessage({ everyMs: 5 }));
  const { baseUrl } = host;
  const provider = createAnthropicProvider(deps, {
    kind: 'anthropic',
    name: 'host',
    baseUrl,
    apiKeys: ['sk-first-key'],
  });
  return {
    model: provider.chat,
    modelName: 'fake-model',
    async close() {
      await provider.close();
      await host.close();
    },
  };
});

describeChatModel('Amazon Bedrock', async () => {
  const { host, provider, close } = await startBedrockUnderTest();
  host.behaveUsually(answerEvents(textEvents(), { everyMs: 5 }));
  return { model: provider.chat, modelName: CLAUDE, close };
});

describeChatModel('the router', async () => {
  const host = await startHost();
  const models = createModels(
    { ...deps, discoveryCache: createMemoryDiscoveryCache(), createDemo: createDemoProvider },
    {
      providers: [{ kind: 'openai-compatible', name: 'host', baseUrl: host.baseUrl, apiKeys: [] }],
      aliases: {},
    },
  );
  await models.start(new AbortController().signal);
  return {
    model: models.router.chat,
    modelName: 'fake-model',
    async close() {
      await models.close();
      await host.close();
    },
  };
});
