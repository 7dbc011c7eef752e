import { readFileSync } from 'node:fs';
import { Agent, type Dispatcher } from 'undici';
import { afterEach, describe, expect, it } from 'vitest';
import { createDemoProvider } from '../../../../demo/demo-provider.ts';
import {
  createMemoryDiscoveryCache,
  createModels,
  type DiscoveryCache,
  type Models,
  type ModelsConfig,
  presetKeyVariables,
  toModelsConfig,
  WrongModelTypeError,
} from '../../../../src/core/models/index.ts';
import type { Clock } from '../../../../src/lib/clock.ts';
import { systemClock } from '../../../../src/lib/clock.ts';
import { createLogger } from '../../../../src/lib/log/logger.ts';
import { answerMessage } from '../../../support/hosts/fake-anthropic.ts';
import {
  answerJson,
  answerRaw,
  type Behaviour,
  die,
  type FakeProvider,
  hang,
  startFakeProvider,
} from '../../../support/hosts/fake-provider.ts';
import { startFakeWebUi } from '../../../support/hosts/fake-webui.ts';
import { drain, failureOf, helloRequest, noAbort } from '../../../support/hosts/provider-under-test.ts';
import { createFakeClock } from '../../../support/machine/fake-clock.ts';
import { drawPng } from '../../../support/samples/media.ts';

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function startHost(...ids: readonly string[]): Promise<FakeProvider> {
  const host = await startFakeProvider();
  cleanups.push(() => host.close());
  host.behaveAtModels(listing(...ids));
  return host;
}
const listing = (...ids: readonly string[]) => answerJson(200, { object: 'list', data: ids.map((id) => ({ id })) });

function create(
  config: Partial<ModelsConfig>,
  options: { clock?: Clock; cache?: DiscoveryCache; dispatcher?: Dispatcher } = {},
): Models {
  const models = createModels(
    {
      clock: options.clock ?? systemClock,
      logger: createLogger({ level: 'silent' }),
      discoveryCache: options.cache ?? createMemoryDiscoveryCache(),
      createDemo: createDemoProvider,
      random: () => 0.5,
      ...(options.dispatcher ? { dispatcher: options.dispatcher } : {}),
    },
    { providers: [], aliases: {}, ...config },
  );
  cleanups.push(() => models.close());
  return models;
}
const provider = (name: string, host: FakeProvider) =>
  ({ kind: 'openai-compatible', name, baseUrl: host.baseUrl, apiKeys: [] }) as const;
const idsOf = (models: Models) => models.catalogue.list().map(({ id }) => id);

describe('the start of the models', () => {
  it('asks all providers and lists their models', async () => {
    const [a, b] = await Promise.all([startHost('one', 'both'), startHost('both', 'two')]);
    const models = create({ providers: [provider('a', a), provider('b', b)] });
    expect(idsOf(models)).toEqual([]);
    await models.start(noAbort());
    expect(idsOf(models)).toEqual(['one', 'both', 'two']);
    expect(models.providers()).toEqual([
      { name: 'a', modelCount: 2, source: 'host', fetchedAt: expect.any(Number), lastError: undefined },
      { name: 'b', modelCount: 2, source: 'host', fetchedAt: expect.any(Number), lastError: undefined },
    ]);
  });

  it('continues without a provider that fails, and logs why', async () => {
    const [a, b] = await Promise.all([startHost(), startHost('two')]);
    a.behaveAtModels(answerRaw(200, 'text/html', '<html>hello</html>'));
    const models = create({ providers: [provider('a', a), provider('b', b)] });
    await models.start(noAbort());
    expect(idsOf(models)).toEqual(['two']);
    expect(models.providers()[0]).toMatchObject({
      modelCount: 0,
      lastError: 'sent something that is not a list of models',
    });
  });

  it('waits five seconds at most, and adds providers that answer later', async () => {
    const clock = createFakeClock();
    const [a, b] = await Promise.all([startHost(), startHost('two')]);
    let answerLate = () => {};
    a.behaveAtModels(async (exchange) => {
      await new Promise<void>((resolve) => {
        answerLate = resolve;
      });
      return listing('late')(exchange);
    });
    const models = create({ providers: [provider('a', a), provider('b', b)] }, { clock });
    let hasStarted = false;
    const started = models.start(noAbort()).then(() => {
      hasStarted = true;
    });
    await clock.advance(4900);
    expect(hasStarted).toBe(false);
    await clock.advance(200);
    await started;
    expect(idsOf(models)).toEqual(['two']);
    answerLate();
    await expect.poll(() => idsOf(models)).toEqual(['late', 'two']);
  });

  it('uses the cached list of a provider that does not answer', async () => {
    const cache = createMemoryDiscoveryCache();
    const host = await startHost('m');
    const first = create({ providers: [provider('a', host)] }, { cache });
    await first.start(noAbort());
    host.behaveAtModels(die());
    const second = create({ providers: [provider('a', host)] }, { cache });
    await second.start(noAbort());
    expect(idsOf(second)).toEqual(['m']);
    expect(second.providers()[0]).toMatchObject({
      source: 'cache',
      modelCount: 1,
      lastError: expect.stringMatching(/^could not be reached/),
    });
    const stream = await second.router.chat.stream(helloRequest({ model: 'm' }), noAbort());
    expect((await drain(stream)).failure).toBeUndefined();
  });

  it('works without its cache', async () => {
    const host = await startHost('m');
    const broken = {
      read: () => Promise.reject(new Error('no database')),
      write: () => Promise.reject(new Error('no database')),
    };
    const models = create({ providers: [provider('a', host)] }, { cache: broken });
    await models.start(noAbort());
    expect(idsOf(models)).toEqual(['m']);
  });

  it('ends at once when it is aborted', async () => {
    const host = await startHost();
    host.behaveAtModels(hang());
    const models = create({ providers: [provider('a', host)] });
    const controller = new AbortController();
    const reason = new Error('interrupted');
    const failure = failureOf(models.start(controller.signal));
    setTimeout(() => controller.abort(reason), 20);
    expect(await failure).toBe(reason);
  });

  it('does not query a host whose models are configured', async () => {
    const host = await startHost('unwanted');
    const models = create({ providers: [{ ...provider('a', host), models: [{ id: 'wanted', type: 'chat' }] }] });
    await models.start(noAbort());
    expect(idsOf(models)).toEqual(['wanted']);
    expect(host.requests).toHaveLength(0);
  });
});

describe('model discovery', () => {
  it('asks the providers every hour, and updates the list', async () => {
    const clock = createFakeClock();
    const host = await startHost('old');
    const models = create({ providers: [provider('a', host)] }, { clock });
    await models.start(noAbort());
    const before = models.catalogue.list();
    await clock.advance(59 * 60_000);
    expect(host.requests).toHaveLength(1);
    await clock.advance(60_000);
    await expect.poll(() => [host.requests.length, clock.pending]).toEqual([2, 1]);
    expect(models.catalogue.list()).toBe(before);
    host.behaveAtModels(listing('new'));
    await clock.advance(60 * 60_000);
    await expect.poll(() => idsOf(models)).toEqual(['new']);
  });

  it('retries a failed provider sooner, with growing intervals, and keeps its models meanwhile', async () => {
    const clock = createFakeClock();
    const host = await startHost('m');
    const models = create({ providers: [provider('a', host)] }, { clock });
    await models.start(noAbort());
    host.behaveAtModels(answerJson(500, {}));
    const failed = () => models.providers()[0]?.lastError !== undefined;
    /** Resolves when the request of this number has failed and the next one waits. */
    const waitsAfter = async (requests: number) => {
      await expect.poll(() => [host.requests.length, clock.pending]).toEqual([requests, 1]);
    };
    await clock.advance(60 * 60_000);
    await waitsAfter(2);
    expect([idsOf(models), failed()]).toEqual([['m'], true]);
    await clock.advance(30_000);
    await waitsAfter(3);
    await clock.advance(59_000);
    expect(host.requests).toHaveLength(3);
    host.behaveAtModels(listing('m', 'n'));
    await clock.advance(1000);
    await expect.poll(() => idsOf(models)).toEqual(['m', 'n']);
    expect(failed()).toBe(false);
  });

  it('leaves no timer and no connection when it is closed', async () => {
    const clock = createFakeClock();
    const [a, b] = await Promise.all([startHost('m'), startHost()]);
    b.behaveAtModels(hang());
    const models = create({ providers: [provider('a', a), provider('b', b)] }, { clock });
    const started = models.start(noAbort());
    await expect.poll(() => b.requests.length).toBe(1);
    await models.close();
    await started;
    expect(clock.pending).toBe(0);
    await expect.poll(() => a.openSockets() + b.openSockets()).toBe(0);
  });
});

describe('without providers', () => {
  it('a running Ollama is used', async () => {
    const ollama = await startHost('llama3.2:latest', 'nomic-embed-text:latest');
    const models = create({ ollamaBaseUrl: ollama.baseUrl });
    await models.start(noAbort());
    expect(idsOf(models)).toEqual(['llama3.2:latest', 'nomic-embed-text:latest']);
    expect(models.catalogue.find('ollama/llama3.2:latest')).toBeDefined();
    const stream = await models.router.chat.stream(helloRequest({ model: 'llama3.2:latest' }), noAbort());
    await drain(stream);
    expect(stream.outcome.provider).toBe('ollama');
  });

  it.each([
    ['does not run', die()],
    ['has no chat model', listing('nomic-embed-text:latest')],
    ['is something else', answerRaw(200, 'text/html', '<html>')],
  ])('the demonstration is used if Ollama %s', async (_, behaviour) => {
    const ollama = await startHost();
    ollama.behaveAtModels(behaviour);
    const models = create({ ollamaBaseUrl: ollama.baseUrl });
    await models.start(noAbort());
    expect(idsOf(models).slice(0, 4)).toEqual(['demo', 'demo-slow', 'demo-long', 'demo-image']);
    expect(models.catalogue.defaultChatModel()?.id).toBe('demo');
    expect(models.catalogue.defaultImageModel()?.id).toBe('demo-image');
    await expect.poll(() => ollama.openSockets()).toBe(0);
  });

  it('a silent Ollama delays the start only briefly', async () => {
    const clock = createFakeClock();
    const ollama = await startHost();
    ollama.behaveAtModels(hang());
    const models = create({ ollamaBaseUrl: ollama.baseUrl }, { clock });
    const started = models.start(noAbort());
    await expect.poll(() => ollama.requests.length).toBe(1);
    await clock.advance(1600);
    await started;
    expect(models.catalogue.defaultChatModel()?.id).toBe('demo');
  });
});

describe('with only a Stable Diffusion WebUI', () => {
  async function startWebUi() {
    const webUi = await startFakeWebUi();
    cleanups.push(() => webUi.close());
    return { kind: 'stable-diffusion-webui', name: 'sd-webui', baseUrl: webUi.url, apiKeys: [] } as const;
  }

  it('the demonstration chats and the WebUI generates images', async () => {
    const models = create({ providers: [await startWebUi()], ollamaBaseUrl: (await startHost()).baseUrl });
    await models.start(noAbort());
    expect(models.catalogue.defaultChatModel()?.id).toBe('demo');
    expect(models.catalogue.defaultImageModel()?.id).toBe('sd_xl_base_1.0');
    const request = { model: 'sd_xl_base_1.0', prompt: 'a fox', ratio: { width: 1, height: 1 }, count: 1 };
    expect(await models.router.image.generate(request, noAbort())).toMatchObject({ provider: 'sd-webui' });
    expect(await failureOf(models.router.chat.complete(helloRequest(request), noAbort()))).toBeInstanceOf(
      WrongModelTypeError,
    );
  });

  it('a running Ollama chats', async () => {
    const ollama = await startHost('llama3.2:latest');
    const models = create({ providers: [await startWebUi()], ollamaBaseUrl: ollama.baseUrl });
    await models.start(noAbort());
    expect(models.catalogue.defaultChatModel()?.id).toBe('llama3.2:latest');
    expect(models.catalogue.defaultImageModel()?.id).toBe('sd_xl_base_1.0');
    expect(models.catalogue.find('demo')).toBeUndefined();
  });

  it('the demonstration is not used next to a chat provider', async () => {
    const host = await startHost('m');
    const models = create({ providers: [await startWebUi(), provider('a', host)] });
    await models.start(noAbort());
    expect(models.catalogue.find('demo')).toBeUndefined();
  });
});

it('another Switchboard chats and generates images', async () => {
  const host = await startHost();
  host.behaveAtModels(
    answerJson(200, {
      data: [
        { id: 'm', type: 'chat' },
        { id: 'p', type: 'image' },
      ],
    }),
  );
  host.behaveElsewhere(answerJson(200, { data: [{ b64_json: drawPng(8, 8).toString('base64') }] }));
  const { baseUrl } = host;
  const models = create({ providers: [{ kind: 'openai-compatible', name: 'friend', baseUrl, apiKeys: [] }] });
  await models.start(noAbort());
  expect(models.catalogue.list().map(({ id, type }) => [id, type])).toEqual([
    ['m', 'chat'],
    ['p', 'image'],
  ]);
  const request = { model: 'friend/p', prompt: 'a fox', ratio: { width: 1, height: 1 }, count: 1 };
  expect(await models.router.image.generate(request, noAbort())).toMatchObject({ provider: 'friend', model: 'p' });
  const completion = await models.router.chat.complete(helloRequest({ model: 'm' }), noAbort());
  expect(completion.outcome.provider).toBe('friend');
});

describe('presets', () => {
  /** Sends every request to one loopback server, with the real host as the first segment of the path. */
  function redirectTo(host: FakeProvider): Dispatcher {
    const agent = new Agent();
    cleanups.push(() => agent.destroy());
    return agent.compose((dispatch) => (options, handler) => {
      const { origin, path } = options;
      return dispatch(
        { ...options, origin: new URL(host.baseUrl).origin, path: `/${new URL(String(origin)).host}${path}` },
        handler,
      );
    });
  }
  const fixtures: Record<string, string> = {
    '/openrouter.ai/api/v1/models?output_modalities=text,image,embeddings': 'openrouter',
    '/api.groq.com/openai/v1/models': 'groq',
    '/generativelanguage.googleapis.com/v1beta/models?pageSize=1000': 'google',
    '/mine.openai.azure.com/openai/deployments?api-version=2023-03-15-preview': 'azure',
    '/api.mistral.ai/v1/models': 'mistral',
    '/api.anthropic.com/v1/models?limit=1000': 'anthropic',
    '/api.together.xyz/v1/models': 'together',
    '/api.fireworks.ai/inference/v1/models': 'fireworks',
    '/models.github.ai/catalog/models': 'github',
    '/router.huggingface.co/v1/models': 'huggingface',
    '/integrate.api.nvidia.com/v1/models': 'nvidia',
    '/api.cohere.com/v1/models?page_size=1000': 'cohere',
    '/api.deepinfra.com/v1/openai/models': 'deepinfra',
    '/ai-gateway.vercel.sh/v1/models': 'vercel',
    '/api.openai.com/v1/models': 'openai',
  };

  async function startWithAllKeys() {
    const host = await startHost();
    const answerList: Behaviour = (exchange) => {
      const fixture = fixtures[exchange.request.url];
      if (!fixture) return answerJson(404, {})(exchange);
      const file = new URL(`../../../fixtures/models/${fixture}.json`, import.meta.url);
      return answerRaw(200, 'application/json', readFileSync(file))(exchange);
    };
    host.behaveAtModels(answerList);
    host.behaveElsewhere(answerList);
    const settings = {
      presetKeys: Object.fromEntries(presetKeyVariables.map((variable) => [variable, [`key-of-${variable}`]])),
      presetAddresses: { AZURE_OPENAI_ENDPOINT: 'https://mine.openai.azure.com' },
      openAi: { baseUrl: undefined, apiKeys: ['key-of-OPENAI'], models: [] },
      bedrock: undefined,
      providersFile: undefined,
      ollamaHost: undefined,
      sdWebUiUrl: undefined,
      defaultModel: undefined,
      defaultImageModel: undefined,
    };
    const models = create(toModelsConfig(settings), { dispatcher: redirectTo(host) });
    await models.start(noAbort());
    return { host, models };
  }

  it('provide far more than forty chat models when their keys are set', async () => {
    const { host, models } = await startWithAllKeys();
    const chatModels = models.catalogue.list().filter(({ type }) => type === 'chat');
    expect(chatModels.length).toBeGreaterThan(60);
    expect(new Set(idsOf(models)).size).toBe(idsOf(models).length);
    // The list was requested from each host that has one.
    const asked = new Set(host.requests.map(({ url }) => url));
    for (const url of Object.keys(fixtures)) expect(asked).toContain(url);
    expect(models.providers().filter(({ source }) => source === 'host')).toHaveLength(Object.keys(fixtures).length + 2);
  });

  it('of another protocol reach its endpoint with their key', async () => {
    const { host, models } = await startWithAllKeys();
    host.behaveElsewhere(answerMessage());
    await models.router.chat.complete(
      helloRequest({ model: 'anthropic/claude-haiku-4-5-20251001', max_tokens: 9 }),
      noAbort(),
    );
    expect(host.requests.at(-1)).toMatchObject({
      url: '/api.anthropic.com/v1/messages',
      headers: { 'x-api-key': 'key-of-ANTHROPIC_API_KEY' },
      body: { model: 'claude-haiku-4-5-20251001' },
    });
  });

  it('send their keys as the host expects them, and reach the chat endpoint', async () => {
    const { host, models } = await startWithAllKeys();
    const listRequest = (start: string) => host.requests.find(({ url }) => url.startsWith(start))?.headers;
    expect(listRequest('/api.anthropic.com')).toMatchObject({
      'x-api-key': 'key-of-ANTHROPIC_API_KEY',
      'anthropic-version': '2023-06-01',
    });
    expect(listRequest('/api.anthropic.com')?.authorization).toBeUndefined();
    expect(listRequest('/generativelanguage')?.['x-goog-api-key']).toBe('key-of-GEMINI_API_KEY');
    expect(listRequest('/mine.openai.azure.com')?.['api-key']).toBe('key-of-AZURE_OPENAI_API_KEY');
    expect(listRequest('/api.groq.com')?.authorization).toBe('Bearer key-of-GROQ_API_KEY');
    for (const [model, url, key] of [
      [
        'google/gemini-2.5-flash',
        '/generativelanguage.googleapis.com/v1beta/openai/chat/completions',
        'GEMINI_API_KEY',
      ],
      ['azure/front-desk', '/mine.openai.azure.com/openai/v1/chat/completions', 'AZURE_OPENAI_API_KEY'],
      ['github/openai/gpt-4.1', '/models.github.ai/inference/chat/completions', 'GITHUB_MODELS_TOKEN'],
      ['minimax/MiniMax-M2', '/api.minimax.io/v1/chat/completions', 'MINIMAX_API_KEY'],
    ] as const) {
      await models.router.chat.complete(helloRequest({ model }), noAbort());
      const request = host.chatRequests.at(-1);
      expect(request?.url).toBe(url);
      expect(request?.headers.authorization).toBe(`Bearer key-of-${key}`);
      expect(request?.body.model).toBe(model.slice(model.indexOf('/') + 1));
    }
  });

  it('put a good general model first as the default', async () => {
    const { models } = await startWithAllKeys();
    expect(models.catalogue.defaultChatModel()?.id).toBe('gpt-5-mini');
    const ofGroq = models.catalogue.list().filter(({ targets }) => targets[0]?.provider === 'groq');
    expect(ofGroq[0]?.id).toBe('llama-3.3-70b-versatile');
  });

  it('share a model that several hosts serve under one name', async () => {
    const { models } = await startWithAllKeys();
    const providers = models.catalogue.find('openai/gpt-oss-120b')?.targets.map(({ provider: name }) => name);
    expect(providers).toEqual(['openrouter', 'groq', 'together', 'huggingface']);
  });
});
