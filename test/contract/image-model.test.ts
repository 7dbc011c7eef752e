import { createDemoProvider } from '../../demo/demo-provider.ts';
import { createOpenAiCompatibleProvider } from '../../src/core/models/hosts/openai-compatible/openai-compatible-provider.ts';
import { createStableDiffusionWebUiProvider } from '../../src/core/models/hosts/stable-diffusion-webui/stable-diffusion-webui-provider.ts';
import { createMemoryDiscoveryCache, createModels } from '../../src/core/models/index.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { isJsonObject } from '../../src/lib/json/json.ts';
import { createLogger } from '../../src/lib/log/logger.ts';
import { answerJson, type FakeProvider, openAiError, startFakeProvider } from '../support/hosts/fake-provider.ts';
import { startFakeWebUi } from '../support/hosts/fake-webui.ts';
import { drawPng } from '../support/samples/media.ts';
import { EXHAUSTIVE } from '../support/vitest/tiers.ts';
import { describeImageModel, type ImageModelFixture } from './image-model-contract.ts';

const deps = { clock: systemClock, logger: createLogger({ level: 'silent' }) };

describeImageModel(
  'the demonstration',
  async () => {
    const provider = createDemoProvider(deps, { kind: 'demo', imageMs: 60 });
    return { model: provider.image, modelName: 'demo-image', close: () => provider.close() };
  },
  EXHAUSTIVE,
);

describeImageModel('the router', async () => {
  const models = createModels(
    { ...deps, discoveryCache: createMemoryDiscoveryCache(), createDemo: createDemoProvider },
    { providers: [{ kind: 'demo', imageMs: 60 }], aliases: {} },
  );
  await models.start(new AbortController().signal);
  return { model: models.router.image, modelName: 'demo-image', close: () => models.close() };
});

describeImageModel(
  'a Stable Diffusion WebUI',
  async () => {
    const webUi = await startFakeWebUi({ drawMs: 60 });
    const provider = createStableDiffusionWebUiProvider(deps, {
      kind: 'stable-diffusion-webui',
      name: 'studio',
      baseUrl: webUi.url,
      apiKeys: [],
      nativeSize: 256,
    });
    return {
      model: provider.image,
      modelName: 'sd_xl_base_1.0',
      async close() {
        await provider.close();
        await webUi.close();
      },
    };
  },
  EXHAUSTIVE,
);

describeImageModel('a host with OpenAI’s images endpoint', async () => {
  const host = await startFakeProvider();
  host.behaveElsewhere(async (exchange) => {
    const { model, size, n } = exchange.request.body;
    if (model !== 'painter') return answerJson(404, openAiError('no such model', 'model_not_found'))(exchange);
    const [width = 0, height = 0] = String(size).split('x').map(Number);
    await exchange.wait(60);
    const image = { b64_json: drawPng(width / 16, height / 16).toString('base64') };
    return answerJson(200, { created: 1, data: Array.from({ length: Number(n ?? 1) }, () => image) })(exchange);
  });
  return startOpenAiCompatible(host, 'images');
});

describeImageModel(
  'a host whose chat models generate images',
  async () => {
    const host = await startFakeProvider();
    host.behaveUsually(async (exchange) => {
      const { model, image_config: config } = exchange.request.body;
      if (model !== 'painter') return answerJson(404, openAiError('no such model', 'model_not_found'))(exchange);
      const ratio = isJsonObject(config) ? String(config.aspect_ratio) : '1:1';
      const [width = 1, height = 1] = ratio.split(':').map(Number);
      await exchange.wait(60);
      const url = `data:image/png;base64,${drawPng(width * 16, height * 16).toString('base64')}`;
      const message = { role: 'assistant', content: '', images: [{ type: 'image_url', image_url: { url } }] };
      return answerJson(200, { id: 'gen-1', choices: [{ index: 0, message, finish_reason: 'stop' }] })(exchange);
    });
    return startOpenAiCompatible(host, 'chat');
  },
  EXHAUSTIVE,
);

function startOpenAiCompatible(host: FakeProvider, imageProtocol: 'images' | 'chat'): ImageModelFixture {
  const { baseUrl } = host;
  const provider = createOpenAiCompatibleProvider(deps, {
    kind: 'openai-compatible',
    name: 'host',
    baseUrl,
    apiKeys: [],
    imageProtocol,
  });
  if (!provider.image) throw new Error('the provider draws nothing');
  return {
    model: provider.image,
    modelName: 'painter',
    async close() {
      await provider.close();
      await host.close();
    },
  };
}
