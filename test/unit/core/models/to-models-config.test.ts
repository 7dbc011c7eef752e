import { describe, expect, it } from 'vitest';
import type { ConfiguredProvider } from '../../../../src/core/models/hosts/settings/models-config.ts';
import { type ModelsSettings, toModelsConfig } from '../../../../src/core/models/index.ts';

const NOTHING: ModelsSettings = {
  presetKeys: {},
  presetAddresses: {},
  bedrock: undefined,
  openAi: undefined,
  providersFile: undefined,
  ollamaHost: undefined,
  sdWebUiUrl: undefined,
  defaultModel: undefined,
  defaultImageModel: undefined,
};
const toConfig = (settings: Partial<ModelsSettings>) => toModelsConfig({ ...NOTHING, ...settings });

describe('model settings', () => {
  it('look for Ollama if they are empty', () => {
    expect(toConfig({})).toEqual({
      providers: [],
      aliases: {},
      defaultModel: undefined,
      defaultImageModel: undefined,
      ollamaBaseUrl: 'http://127.0.0.1:11434/v1',
    });
  });

  it('enable presets by their keys, in the order of the presets', () => {
    const config = toConfig({
      presetKeys: { GROQ_API_KEY: ['gsk_1', 'gsk_2'], OPENROUTER_API_KEY: ['sk-or-1'], MISTRAL_API_KEY: [] },
    });
    expect(config.providers).toMatchObject([
      { name: 'openrouter', baseUrl: 'https://openrouter.ai/api/v1', apiKeys: ['sk-or-1'] },
      { name: 'groq', baseUrl: 'https://api.groq.com/openai/v1', apiKeys: ['gsk_1', 'gsk_2'] },
    ]);
    expect(config.ollamaBaseUrl).toBeUndefined();
  });

  it('enable Azure by the key and the endpoint of a resource, in any of its spellings', () => {
    const presetKeys = { AZURE_OPENAI_API_KEY: ['key-1'] };
    const baseUrls = (endpoint?: string) =>
      toConfig({ presetKeys, presetAddresses: { AZURE_OPENAI_ENDPOINT: endpoint } }).providers.map(
        (provider) => 'baseUrl' in provider && provider.baseUrl,
      );
    for (const address of ['https://mine.openai.azure.com', 'https://mine.openai.azure.com/openai/v1/'])
      expect(baseUrls(address)).toEqual(['https://mine.openai.azure.com/openai/v1']);
    expect(baseUrls()).toEqual([]);
  });

  it('give presets their price list, at their own address only', () => {
    const listOf = (settings: Partial<ModelsSettings>) =>
      toConfig(settings).providers.map((provider) => (provider as ConfiguredProvider).priceList);
    expect(listOf({ presetKeys: { GROQ_API_KEY: ['k'], ANTHROPIC_API_KEY: ['k'] } })).toEqual(['groq', 'anthropic']);
    const openAi = { apiKeys: ['k'], models: [] };
    expect(listOf({ openAi: { ...openAi, baseUrl: undefined } })).toEqual(['openai']);
    expect(listOf({ openAi: { ...openAi, baseUrl: 'https://api.groq.com/openai/v1/' } })).toEqual(['groq']);
    expect(listOf({ openAi: { ...openAi, baseUrl: 'http://localhost:1234/v1' } })).toEqual([undefined]);
  });

  it('enable Google and Azure by the names that other programs use', () => {
    for (const name of ['GEMINI_API_KEY', 'GOOGLE_GENERATIVE_AI_API_KEY', 'GOOGLE_API_KEY'])
      expect(toConfig({ presetKeys: { [name]: ['AIza'] } }).providers).toMatchObject([
        { name: 'google', apiKeys: ['AIza'] },
      ]);
    const both = { GOOGLE_API_KEY: ['other'], GEMINI_API_KEY: ['first'] };
    expect(toConfig({ presetKeys: both }).providers).toMatchObject([{ name: 'google', apiKeys: ['first'] }]);
    const presetAddresses = { AZURE_RESOURCE_NAME: 'mine' };
    expect(toConfig({ presetKeys: { AZURE_API_KEY: ['key'] }, presetAddresses }).providers).toMatchObject([
      { name: 'azure', apiKeys: ['key'], baseUrl: 'https://mine.openai.azure.com/openai/v1' },
    ]);
  });

  it('enable Bedrock by a region with keys, or with credentials, which may be meant for other programs', () => {
    const region = 'us-east-1';
    const withKey = toConfig({ bedrock: { region, apiKeys: ['ABSK'], credentials: undefined } });
    expect(withKey.providers).toMatchObject([{ kind: 'bedrock', name: 'bedrock', region, apiKeys: ['ABSK'] }]);
    expect(withKey.ollamaBaseUrl).toBeUndefined();
    const credentials = { accessKeyId: 'id', secretAccessKey: 'secret' };
    const signing = toConfig({ bedrock: { region, apiKeys: [], credentials } });
    expect(signing.providers).toMatchObject([{ kind: 'bedrock', credentials }]);
    expect(signing.ollamaBaseUrl).toBeDefined();
  });

  it('know the transcription models of OpenAI and Groq, and accept another model for any host', () => {
    const apiKeys = ['sk-1'];
    const openAi = { baseUrl: undefined, apiKeys, models: [] };
    const listeners = (settings: Partial<ModelsSettings>) =>
      toConfig(settings).providers.map((provider) => 'transcriptionModel' in provider && provider.transcriptionModel);
    expect(listeners({ openAi, presetKeys: { GROQ_API_KEY: apiKeys, MISTRAL_API_KEY: apiKeys } })).toEqual([
      'gpt-4o-mini-transcribe',
      'whisper-large-v3-turbo',
      undefined,
    ]);
    const whisper = { ...openAi, baseUrl: 'http://127.0.0.1:8000/v1', transcriptionModel: 'whisper-1' };
    expect(listeners({ openAi: whisper })).toEqual(['whisper-1']);
    const speakers = (settings: Partial<ModelsSettings>) =>
      toConfig(settings).providers.map((provider) => 'speech' in provider && provider.speech);
    expect(speakers({ openAi })).toEqual([{ model: 'gpt-4o-mini-tts', voice: 'alloy' }]);
    expect(speakers({ openAi: { ...openAi, speech: { voice: 'coral' } } })).toEqual([
      { model: 'gpt-4o-mini-tts', voice: 'coral' },
    ]);
    const speech = { model: 'kokoro', voice: 'af_sky', format: 'mp3' } as const;
    expect(speakers({ openAi: { ...openAi, speech } })).toEqual([speech]);
  });

  it('select OpenAI by a key alone, and a custom host by an address', () => {
    const openAi = { baseUrl: undefined, apiKeys: ['sk-1'], models: [] };
    expect(toConfig({ openAi }).providers).toMatchObject([
      { name: 'openai', baseUrl: 'https://api.openai.com/v1', apiKeys: ['sk-1'] },
    ]);
    const anthropic = { baseUrl: 'https://api.anthropic.com/v1', apiKeys: ['k'], models: ['claude-x'] };
    expect(toConfig({ openAi: anthropic }).providers).toMatchObject([
      { kind: 'anthropic', name: 'anthropic', apiKeys: ['k'], models: [{ id: 'claude-x' }] },
    ]);
    const custom = { baseUrl: 'http://localhost:8080/v1/', apiKeys: [], models: [] };
    expect(toConfig({ openAi: custom }).providers).toMatchObject([
      { name: 'custom', baseUrl: 'http://localhost:8080/v1', apiKeys: [], acceptsAnyModel: false },
    ]);
  });

  it('list models, or accept any', () => {
    const withModels = (models: string[]) =>
      toConfig({ openAi: { baseUrl: 'http://x/v1', apiKeys: [], models } }).providers[0];
    expect(withModels(['a', 'b'])).toMatchObject({ models: [{ id: 'a' }, { id: 'b' }], acceptsAnyModel: false });
    expect(withModels(['a', '*'])).toMatchObject({ models: [{ id: 'a' }], acceptsAnyModel: true });
    expect(withModels(['*'])).toMatchObject({ acceptsAnyModel: true });
    expect(withModels(['*'])).not.toHaveProperty('models', expect.anything());
  });

  it('classify models by their names: chat models unless the name tells another type', () => {
    const models = ['gpt-5', 'gpt-image-1', 'dall-e-3', 'text-embedding-3-small', 'sora-2'];
    expect(toConfig({ openAi: { baseUrl: 'http://x/v1', apiKeys: [], models } }).providers[0]).toMatchObject({
      models: [
        { id: 'gpt-5', type: 'chat' },
        { id: 'gpt-image-1', type: 'image' },
        { id: 'dall-e-3', type: 'image' },
        { id: 'text-embedding-3-small', type: 'embedding' },
        { id: 'sora-2', type: 'chat' },
      ],
    });
  });

  it('put a Stable Diffusion WebUI last', () => {
    const sdWebUiUrl = 'http://127.0.0.1:7860';
    const webUi = { kind: 'stable-diffusion-webui', name: 'sd-webui', baseUrl: sdWebUiUrl, apiKeys: [] };
    const config = toConfig({ sdWebUiUrl, presetKeys: { GROQ_API_KEY: ['k'] } });
    expect(config.providers).toMatchObject([{ name: 'groq' }, webUi]);
    expect(config.ollamaBaseUrl).toBeUndefined();
    const file = {
      providers: [{ kind: 'stable-diffusion-webui', name: 'sd-webui', baseUrl: 'http://box', apiKeys: [] }],
      aliases: {},
      defaultModel: undefined,
      defaultImageModel: 'sd-webui/m',
    } as const;
    expect(toConfig({ sdWebUiUrl, providersFile: file })).toMatchObject({
      providers: [{ name: 'sd-webui', baseUrl: 'http://box' }],
      defaultImageModel: 'sd-webui/m',
    });
    expect(toConfig({ providersFile: file, defaultImageModel: 'mine' }).defaultImageModel).toBe('mine');
  });

  it('look for Ollama if no provider chats', () => {
    const ofFile = (provider: ConfiguredProvider) =>
      toConfig({
        providersFile: { providers: [provider], aliases: {}, defaultModel: undefined, defaultImageModel: undefined },
      }).ollamaBaseUrl !== undefined;
    const host = { kind: 'openai-compatible', name: 'x', baseUrl: 'http://x/v1', apiKeys: [] } as const;
    const [chat, image] = [{ id: 'm', type: 'chat' } as const, { id: 'p', type: 'image' } as const];
    expect(toConfig({ sdWebUiUrl: 'http://127.0.0.1:7860' }).ollamaBaseUrl).toBe('http://127.0.0.1:11434/v1');
    expect(ofFile({ ...host, models: [image] })).toBe(true);
    expect(ofFile({ ...host, models: [image, chat] })).toBe(false);
    expect(ofFile({ ...host, models: [image], acceptsAnyModel: true })).toBe(false);
    expect(ofFile(host)).toBe(false);
  });

  it('prefer the providers file to the environment', () => {
    const file = {
      providers: [{ kind: 'openai-compatible', name: 'groq', baseUrl: 'http://mine/v1', apiKeys: [] }],
      aliases: { fast: ['groq/m'] },
      defaultModel: 'fast',
      defaultImageModel: undefined,
    } as const;
    const config = toConfig({ presetKeys: { GROQ_API_KEY: ['gsk_1'] }, providersFile: file });
    expect(config).toMatchObject({
      providers: [{ baseUrl: 'http://mine/v1' }],
      aliases: { fast: ['groq/m'] },
      defaultModel: 'fast',
      defaultImageModel: undefined,
    });
    expect(toConfig({ providersFile: file, defaultModel: 'mine' }).defaultModel).toBe('mine');
  });

  it.each([
    ['127.0.0.1:11434', 'http://127.0.0.1:11434/v1'],
    ['0.0.0.0', 'http://127.0.0.1:11434/v1'],
    [':9999', 'http://127.0.0.1:9999/v1'],
    ['box.local', 'http://box.local:11434/v1'],
    ['http://box.local:1234/', 'http://box.local:1234/v1'],
    ['http://box.local:1234/v1', 'http://box.local:1234/v1'],
    ['https://ollama.example.com', 'https://ollama.example.com/v1'],
    ['[::1]:5000', 'http://[::1]:5000/v1'],
    ['not a host', 'http://127.0.0.1:11434/v1'],
  ])('find Ollama by OLLAMA_HOST=%s', (ollamaHost, baseUrl) => {
    expect(toConfig({ ollamaHost }).ollamaBaseUrl).toBe(baseUrl);
    // A configured host is queried in addition to other providers.
    expect(toConfig({ ollamaHost, presetKeys: { GROQ_API_KEY: ['k'] } }).ollamaBaseUrl).toBe(baseUrl);
  });
});
