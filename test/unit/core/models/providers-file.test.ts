import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseProvidersFile } from '../../../../src/core/models/index.ts';
import { BUILT_IN_TOOLS, DEFAULT_TOOLS_CONFIG } from '../../../../src/core/tools/index.ts';
import { SettingsError } from '../../../../src/lib/errors/settings-error.ts';

const VARIABLES: Record<string, string> = {
  GROQ_API_KEY: 'gsk_1, gsk_2',
  HOME_KEY: 'secret-home-key',
  PORT_OF_HOME: '8080',
  CLAUDE_PROXY_KEY: 'sk-claude',
  BEDROCK_KEY: 'ABSK-key',
  KEY_ID: 'AKID',
  SECRET: 'secret-of-aws',
  TOKEN: 'token-of-aws',
  FRIEND_API_KEY: 'sk-friend',
  STUDIO_LOGIN: 'me:secret',
  GITHUB_TOKEN: 'ghp-secret',
  WEATHER_KEY: 'weather-secret',
};
const EXAMPLE = readFileSync(new URL('../../../../providers.example.yaml', import.meta.url), 'utf8');
const parse = (text: string, variables = VARIABLES) => parseProvidersFile(text, (name) => variables[name]);
function problemsOf(text: string): readonly string[] {
  try {
    parse(text);
  } catch (error) {
    if (error instanceof SettingsError) return error.problems;
    throw error;
  }
  return [];
}

describe('a providers file', () => {
  it('has an example that changes nothing and needs no variables', () => {
    expect(parseProvidersFile(EXAMPLE, () => undefined)).toEqual(parse(''));
  });

  it('has an example whose entries are all valid', () => {
    const file = parse(EXAMPLE.replace(/^( *)#(?=\S)/gm, '$1'));
    expect(file).toMatchObject({
      providers: [
        {
          kind: 'openai-compatible',
          name: 'groq',
          baseUrl: 'https://api.groq.com/openai/v1',
          apiKeys: ['gsk_1', 'gsk_2'],
          weight: 2,
        },
        {
          name: 'home',
          baseUrl: 'http://192.168.1.20:8080/v1',
          apiKeys: [],
          headers: { 'x-from': 'switchboard' },
          models: [
            { id: 'qwen3-32b', type: 'chat' },
            {
              id: 'llava-13b',
              type: 'chat',
              ownedBy: 'liuhaotian',
              displayName: 'LLaVA 13B',
              contextLength: 8192,
              price: { input: 0, output: 0 },
              acceptsImages: true,
            },
          ],
          acceptsAnyModel: true,
          imageProtocol: 'images',
          transcriptionModel: 'whisper-large-v3',
          speech: { model: 'kokoro', voice: 'af_sky', format: 'mp3' },
          timeouts: { connectMs: 10_000, firstTokenMs: 300_000, idleMs: 60_000, totalMs: 600_000 },
        },
        {
          kind: 'anthropic',
          name: 'claude-proxy',
          baseUrl: 'https://claude.example.com',
          apiKeys: ['sk-claude'],
          models: [{ id: 'claude-sonnet-5-5', type: 'chat' }],
        },
        {
          kind: 'bedrock',
          name: 'aws',
          region: 'eu-central-1',
          baseUrl: 'https://bedrock-runtime.eu-central-1.amazonaws.com',
          apiKeys: ['ABSK-key'],
          credentials: { accessKeyId: 'AKID', secretAccessKey: 'secret-of-aws', sessionToken: 'token-of-aws' },
        },
        {
          kind: 'openai-compatible',
          name: 'friend',
          baseUrl: 'https://ai.example.com/ai/openai',
          apiKeys: ['sk-friend'],
        },
        {
          kind: 'stable-diffusion-webui',
          name: 'studio',
          baseUrl: 'http://127.0.0.1:7860',
          apiKeys: ['me:secret'],
          nativeSize: 1024,
          parameters: { steps: 30, negative_prompt: 'blurry, watermark' },
        },
      ],
      aliases: { fast: ['groq/llama-3.3-70b-versatile'], smart: ['groq/openai/gpt-oss-120b', 'home/qwen3-32b'] },
      defaultModel: 'smart',
      defaultImageModel: 'studio/dreamshaper-xl',
      libraryEmbeddingModel: 'text-embedding-3-small',
      plans: {
        free: {
          user: { requestsPerMinute: 20, usdPerDay: 0.5, usdPerMonth: 5, usdTotal: 50 },
          chat: { tokensPerDay: 500_000 },
          allowsUnpricedModels: true,
          raiseByUsd: [1, 5],
          tasks: { active: 20, shortestIntervalMinutes: 30 },
        },
        trusted: { user: { requestsPerMinute: 100 } },
        group: { chat: { requestsPerMinute: 20 } },
        universal: { key: { requestsPerMinute: 60 }, address: { requestsPerMinute: 20 } },
      },
      budget: { usdPerDay: 20, usdPerMonth: 100, usdTotal: 1000, allowsUnpricedModels: true },
      tools: {
        ...DEFAULT_TOOLS_CONFIG,
        askForBuiltIn: { read_web_page: true },
        sources: [
          {
            kind: 'mcp',
            name: 'github',
            reach: {
              kind: 'http',
              url: 'https://api.githubcopilot.com/mcp/',
              headers: { Authorization: 'Bearer ghp-secret' },
            },
            only: ['search_issues', 'create_issue'],
            secrets: ['ghp-secret'],
          },
          {
            kind: 'mcp',
            name: 'files',
            reach: {
              kind: 'command',
              command: 'npx',
              args: ['-y', '@modelcontextprotocol/server-filesystem', '/srv/shared'],
              env: { LANG: 'en_US.UTF-8' },
            },
            secrets: [],
          },
          {
            kind: 'function',
            name: 'get_weather',
            url: 'https://weather.example.com/now',
            headers: { 'X-Key': 'weather-secret' },
            secrets: ['weather-secret'],
          },
        ],
      },
    });
  });

  it('may be empty', () => {
    expect(parse('')).toEqual({
      providers: [],
      aliases: {},
      defaultModel: undefined,
      defaultImageModel: undefined,
      plans: {},
      tools: DEFAULT_TOOLS_CONFIG,
    });
  });

  it('reads variables in addresses, keys and headers', () => {
    const text = `
providers:
  - name: home
    base_url: http://box:\${PORT_OF_HOME}/v1
    api_keys: $HOME_KEY
    headers: { x-key: "k $HOME_KEY", x-price: $$5 }
`;
    expect(parse(text).providers[0]).toMatchObject({
      baseUrl: 'http://box:8080/v1',
      apiKeys: ['secret-home-key'],
      headers: { 'x-key': 'k secret-home-key', 'x-price': '$5' },
    });
  });

  it('takes the address of a preset without a common one from its own variable, or from the entry', () => {
    const variables = { AZURE_OPENAI_API_KEY: 'k', AZURE_OPENAI_ENDPOINT: 'https://mine.openai.azure.com/' };
    expect(parse('providers: [{ preset: azure }]', variables).providers[0]).toMatchObject({
      name: 'azure',
      baseUrl: 'https://mine.openai.azure.com/openai/v1',
      modelsUrl: '/openai/deployments?api-version=2023-03-15-preview',
    });
    const ofOtherNames = { AZURE_API_KEY: 'k', AZURE_RESOURCE_NAME: 'mine' };
    expect(parse('providers: [{ preset: azure }]', ofOtherNames).providers[0]).toMatchObject({
      apiKeys: ['k'],
      baseUrl: 'https://mine.openai.azure.com/openai/v1',
    });
    const withUrl = 'providers: [{ preset: azure, api_keys: k, base_url: "https://other/openai/v1" }]';
    expect(parse(withUrl).providers[0]).toMatchObject({ baseUrl: 'https://other/openai/v1' });
    expect(() => parse('providers: [{ preset: azure, api_keys: k }]')).toThrow(/AZURE_OPENAI_ENDPOINT is not set/);
  });

  it('configures Bedrock from its entry, and else from the usual variables', () => {
    const entry = 'providers: [{ type: bedrock, name: aws }]';
    const variables = { AWS_REGION: 'eu-west-1', AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 's' };
    expect(parse(entry, variables).providers).toMatchObject([
      {
        kind: 'bedrock',
        name: 'aws',
        region: 'eu-west-1',
        baseUrl: undefined,
        apiKeys: [],
        credentials: { accessKeyId: 'id', secretAccessKey: 's' },
      },
    ]);
    const withKeys = { ...variables, AWS_BEARER_TOKEN_BEDROCK: 'k1, k2', AWS_SESSION_TOKEN: 't' };
    expect(parse(entry, withKeys).providers).toMatchObject([
      { apiKeys: ['k1', 'k2'], credentials: { sessionToken: 't' } },
    ]);
    const own = `providers:
  - type: bedrock
    name: aws
    region: us-west-2
    base_url: https://vpce-1.bedrock-runtime.us-west-2.vpce.amazonaws.com
    credentials: { access_key_id: $HOME_KEY, secret_access_key: s, session_token: t }
    models: ["*", amazon.nova-lite-v1:0]`;
    expect(parse(own, { ...VARIABLES, ...withKeys }).providers).toMatchObject([
      {
        region: 'us-west-2',
        baseUrl: 'https://vpce-1.bedrock-runtime.us-west-2.vpce.amazonaws.com',
        apiKeys: [],
        credentials: { accessKeyId: 'secret-home-key', secretAccessKey: 's', sessionToken: 't' },
        models: [{ id: 'amazon.nova-lite-v1:0', type: 'chat' }],
        acceptsAnyModel: true,
      },
    ]);
    expect(problemsOf(entry)).toEqual([
      'providers[0].region: is missing, and the variable AWS_REGION is not set',
      expect.stringContaining('providers[0].api_keys: is missing'),
    ]);
    expect(problemsOf('providers: [{ preset: groq, region: x }]')).toEqual([
      'providers[0].region: does not go with type openai, only with bedrock',
    ]);
  });

  it('takes the key of a preset from its own variable, and may override its name and address', () => {
    const [first, second] = parse(
      'providers: [{ preset: groq }, { preset: groq, name: groq-eu, base_url: "https://eu/v1" }]',
    ).providers;
    expect(first).toMatchObject({ name: 'groq', apiKeys: ['gsk_1', 'gsk_2'] });
    expect(second).toMatchObject({ name: 'groq-eu', baseUrl: 'https://eu/v1' });
  });

  it('may say where a host reranks, and that it takes breakpoints of caches', () => {
    const of = (fields: string) => parse(`providers: [{ name: a, base_url: "http://a/v1"${fields} }]`).providers[0];
    expect(of(', rerank_url: "http://b:$PORT_OF_HOME/rerank", takes_cache_control: true')).toMatchObject({
      rerankUrl: 'http://b:8080/rerank',
      takesCacheControl: true,
    });
    expect(of('')).not.toHaveProperty('takesCacheControl');
    expect(
      parse('providers: [{ preset: openrouter, api_keys: k, takes_cache_control: false }]').providers[0],
    ).toMatchObject({ takesCacheControl: false });
    expect(problemsOf('providers: [{ name: a, base_url: "http://a", rerank_url: "http://" }]')).toEqual([
      'providers[0].rerank_url: must be an address, or a path',
    ]);
  });

  it('never sends the key for an own address to the other addresses of the preset', () => {
    const of = (preset: string, address: string) =>
      parse(`providers: [{ preset: ${preset}, api_keys: k${address} }]`).providers[0];
    expect(of('cohere', '')).toMatchObject({ rerankUrl: expect.any(String), modelsUrl: expect.any(String) });
    for (const preset of ['cohere', 'google', 'github'])
      for (const field of ['rerankUrl', 'modelsUrl', 'modelsKeyHeader'])
        expect(of(preset, ', base_url: "https://own/v1"')).not.toHaveProperty(field);
    expect(of('openrouter', ', base_url: "https://own/v1"')).toMatchObject({
      modelsUrl: expect.stringMatching(/^models/),
    });
  });

  it.each([
    ['"*"', undefined, true],
    ['[a, "*"]', [{ id: 'a', type: 'chat' }], true],
    [
      '[gpt-image-1, { id: flux-dev }, { id: my-flux, type: chat }]',
      [
        { id: 'gpt-image-1', type: 'image' },
        expect.objectContaining({ id: 'flux-dev', type: 'image' }),
        expect.objectContaining({ id: 'my-flux', type: 'chat' }),
      ],
      false,
    ],
    ['[{ id: p, type: image }]', [expect.objectContaining({ id: 'p', type: 'image' })], false],
  ])('lets models be %s', (models, listed, acceptsAnyModel) => {
    const [provider] = parse(`providers: [{ name: x, base_url: "http://x/v1", models: ${models} }]`).providers;
    expect(provider).toMatchObject({ kind: 'openai-compatible', acceptsAnyModel });
    expect(provider && 'models' in provider ? provider.models : undefined).toEqual(listed);
  });

  it('reports every problem at once, with its place', () => {
    const text = `
providers:
  - name: Home
    base_url: http://x/v1
    weight: -1
    colour: red
  - name: two
    base_url: http://x/v1
    models: [{ id: m, context_length: long }]
    timeouts: { idle_ms: 0, first_token_s: 5 }
  - base_url: 7
aliases:
  fast: 5
default_modell: x
`;
    expect(problemsOf(text)).toEqual([
      'providers[0].name: must be lowercase letters, digits and hyphens',
      'providers[0].weight: must not be negative',
      'providers[0].colour: is not a known setting',
      'providers[1].models[0].context_length: must be a number',
      'providers[1].timeouts.idle_ms: must be more than 0',
      'providers[1].timeouts.first_token_s: is not a known setting',
      'providers[2].base_url: must be a string',
      'aliases.fast: has the wrong form',
      'default_modell: is not a known setting',
    ]);
  });

  it('may configure the image API of a host', () => {
    expect(parse('providers: [{ preset: groq, transcription_model: whisper-1 }]').providers[0]).toMatchObject({
      transcriptionModel: 'whisper-1',
    });
    expect(parse('providers: [{ preset: groq, image_protocol: chat }]').providers[0]).toMatchObject({
      kind: 'openai-compatible',
      imageProtocol: 'chat',
    });
  });

  it('may configure the speech API of a host', () => {
    expect(
      parse('providers: [{ preset: groq, speech_model: orpheus, speech_format: mp3 }]').providers[0],
    ).toMatchObject({
      speech: { model: 'orpheus', voice: undefined, format: 'mp3' },
    });
    expect(parse('providers: [{ preset: openai, api_keys: k, speech_voice: coral }]').providers[0]).toMatchObject({
      speech: { model: 'gpt-4o-mini-tts', voice: 'coral' },
    });
    expect(() => parse('providers: [{ preset: groq, speech_voice: coral }]')).toThrow(/speech_model: is missing/);
    // Raw ADTS is no voice message.
    const aac = 'providers: [{ preset: groq, speech_model: orpheus, speech_format: aac }]';
    expect(() => parse(aac)).toThrow(/speech_format/);
  });

  it('may name a host with Anthropic’s protocol, by its preset or its address', () => {
    const [first, second] = parse(
      `providers:
        - { preset: anthropic, api_keys: k, models: [claude-x, "*"] }
        - { name: proxy, type: anthropic, base_url: "http://p/v1", headers: { anthropic-beta: b-1 } }`,
    ).providers;
    expect(first).toMatchObject({
      kind: 'anthropic',
      name: 'anthropic',
      baseUrl: 'https://api.anthropic.com/v1',
      apiKeys: ['k'],
      models: [{ id: 'claude-x', type: 'chat' }],
      acceptsAnyModel: true,
    });
    expect(second).toMatchObject({ kind: 'anthropic', name: 'proxy', baseUrl: 'http://p/v1', apiKeys: [] });
    expect(problemsOf('providers: [{ preset: groq, type: anthropic }, { preset: anthropic, type: openai }]')).toEqual([
      'providers[0].type: does not go with preset groq, whose type is openai',
      expect.stringMatching(/^providers\[1\]\.type: does not go with preset anthropic, whose type is anthropic/),
      expect.stringContaining('ANTHROPIC_API_KEY is not set'),
    ]);
    expect(problemsOf('providers: [{ name: x, type: anthropic }]')).toEqual([
      'providers[0]: needs a base_url or a preset',
    ]);
  });

  it('may name models of several types', () => {
    const text = 'providers: [{ name: x, base_url: "http://x", models: [m, dall-e-3, "*"] }]';
    expect(parse(text).providers[0]).toMatchObject({
      kind: 'openai-compatible',
      baseUrl: 'http://x',
      models: [
        { id: 'm', type: 'chat' },
        { id: 'dall-e-3', type: 'image' },
      ],
      acceptsAnyModel: true,
    });
  });

  it('reports fields that a type of provider does not have', () => {
    const text = `
providers:
  - name: a
    type: bedrock
    region: eu-central-1
    api_keys: key
    preset: groq
    image_protocol: chat
  - name: b
    type: stable-diffusion-webui
    base_url: http://b
    api_keys: password
    models: [m]
    models_url: http://b/models
    rerank_url: http://b/rerank
    takes_cache_control: true
  - name: c
    base_url: http://c/v1
    native_size: 512
    parameters: { steps: 5 }
  - type: openai
    base_url: c
`;
    expect(problemsOf(text)).toEqual([
      'providers[0].preset: does not go with type bedrock, only with openai, anthropic',
      'providers[0].image_protocol: does not go with type bedrock, only with openai',
      'providers[1].models: does not go with type stable-diffusion-webui, only with openai, anthropic, bedrock',
      'providers[1].models_url: does not go with type stable-diffusion-webui, only with openai',
      'providers[1].rerank_url: does not go with type stable-diffusion-webui, only with openai',
      'providers[1].takes_cache_control: does not go with type stable-diffusion-webui, only with openai',
      'providers[1].api_keys: must be user:password',
      'providers[2].native_size: does not go with type openai, only with stable-diffusion-webui',
      'providers[2].parameters: does not go with type openai, only with stable-diffusion-webui',
      'providers[3].name: is missing',
      'providers[3].base_url: must be an http:// or https:// address',
    ]);
    expect(problemsOf('providers: [{ name: x, type: switchboard, base_url: "http://x", api_keys: sk }]')).toEqual([
      "providers[0].type: another Switchboard speaks OpenAI's protocol: use type openai (or none), and a base_url that ends with /ai/openai",
    ]);
    const wrongForm = `
providers:
  - { name: a, type: comfy, base_url: "http://a" }
  - { name: b, base_url: "http://b", image_protocol: painting }
  - { name: c, type: stable-diffusion-webui, base_url: "http://c", native_size: 64, parameters: 5 }
`;
    expect(problemsOf(wrongForm)).toEqual([
      'providers[0].type: must be one of openai, anthropic, bedrock, stable-diffusion-webui',
      'providers[1].image_protocol: must be images, chat or none',
      'providers[2].native_size: must be from 256 to 2048',
      'providers[2].parameters: must be a set of fields',
    ]);
  });

  it('reports contradictions', () => {
    const text = `
providers:
  - preset: grok
  - name: x
  - name: home
    base_url: ftp://x
    api_keys: [$NOT_SET]
  - name: pictures
    type: stable-diffusion-webui
    base_url: $NOT_SET
    api_keys: [$NOT_SET]
  - name: home
    base_url: http://x/v1
  - preset: mistral
  - base_url: http://y/v1
`;
    expect(problemsOf(text)).toEqual([
      expect.stringMatching(/^providers\[0\]\.preset: 'grok' is unknown; known are openai, openrouter, groq, /),
      'providers[1]: needs a base_url or a preset',
      'providers[2].base_url: must be an http:// or https:// address',
      'providers[2].api_keys[0]: the variable NOT_SET is not set',
      'providers[3].base_url: the variable NOT_SET is not set',
      'providers[3].api_keys[0]: the variable NOT_SET is not set',
      'providers[5].api_keys: is missing, and the variable MISTRAL_API_KEY is not set',
      'providers[6].name: is missing',
      "providers[4].name: 'home' is the name of another provider",
    ]);
  });

  it('that is no YAML is reported with the place of the error', () => {
    expect(problemsOf('providers: [\n  - x: {')).toEqual([
      expect.stringMatching(/line \d/),
      ...Array(problemsOf('providers: [\n  - x: {').length - 1).fill(expect.any(String)),
    ]);
    expect(problemsOf('just text')).toEqual(['the file: must be a set of fields']);
  });

  it('never shows the value of a variable', () => {
    const text = 'providers: [{ name: x, base_url: $HOME_KEY, api_keys: [$HOME_KEY] }]';
    expect(problemsOf(text).join()).not.toContain('secret-home-key');
    expect(problemsOf(text)).toHaveLength(1);
  });

  it('reports everything that is wrong with tools', () => {
    const text = `
built_in_tools: [abacus]
tool_limits: { steps: 0 }
`;
    expect(problemsOf(text)).toEqual([
      `built_in_tools[0]: must be among ${BUILT_IN_TOOLS.join(', ')}`,
      'tool_limits.steps: must be more than 0',
    ]);
    const sources = `
tools:
  - { name: search, mcp: "ftp://host/mcp", env: { A: b } }
  - { mcp: "https://host/mcp", headers: { authorization: $NOT_SET } }
  - { name: both, mcp: "https://host/mcp", command: node }
  - { function: weather }
  - { function: weather, url: "https://host", description: Again }
`;
    expect(problemsOf(sources)).toEqual([
      'tools[0].env: does not go with mcp, only name, headers, only, ask',
      'tools[0].mcp: must be an http:// or https:// address',
      'tools[1].name: is missing',
      'tools[1].headers.authorization: the variable NOT_SET is not set',
      'tools[2]: must have one of mcp, command, function, built_in',
      'tools[3].url: is missing',
      'tools[3].description: is missing: models go by it',
      "tools[3].name: 'weather' is the name of another server or function",
    ]);
  });

  it('configures which tools need permission', () => {
    const text = `
tools:
  - { name: search, mcp: "https://host/mcp", ask: { look_up: false, delete: true } }
  - { name: notes, command: notes, ask: true }
  - { function: weather, url: "https://host", description: Weather, ask: false }
  - { function: time, url: "https://host", description: Time }
  - { built_in: read_web_page, ask: true }
`;
    const { sources, askForBuiltIn } = parse(text).tools;
    expect(sources.map(({ name, ask }) => [name, ask])).toEqual([
      ['search', { look_up: false, delete: true }],
      ['notes', true],
      ['weather', false],
      ['time', undefined],
    ]);
    expect(askForBuiltIn).toEqual({ read_web_page: true });
    const wrong = `
tools:
  - { function: weather, url: "https://host", description: Weather, ask: { weather: true } }
  - { built_in: calculator }
  - { built_in: draw_picture, ask: true, url: "https://host" }
  - { built_in: draw_picture, ask: false }
`;
    expect(problemsOf(wrong)).toEqual([
      'tools[0].ask: must be true or false',
      'tools[1].ask: is missing',
      'tools[2].url: does not go with built_in, only ask',
      "tools[3].name: 'draw_picture' is the name of another entry",
    ]);
  });

  it('configures plans', () => {
    const text = `
      plans:
        free: { user: { requests_per_minute: 20, at_once: 3 }, chat: { tokens_per_day: 500000 } }
        trusted:
        universal: { key: { images_per_day: 0 } }`;
    expect(parse(text).plans).toEqual({
      free: { user: { requestsPerMinute: 20, atOnce: 3 }, chat: { tokensPerDay: 500_000 } },
      trusted: {},
      universal: { key: { imagesPerDay: 0 } },
    });
    expect(parse('').plans).toEqual({});
  });

  it('reads the words of plans and prices before version 0.3', () => {
    const text = `
      plans:
        free: { person: { pictures_per_day: 5, dollars_per_day: 1 }, address: { pictures_per_day: 1 } }
      providers: [{ name: x, base_url: http://x, models: [{ id: a, type: image, price: { picture: 0.04 } }] }]`;
    const file = parse(text);
    expect(file.plans).toEqual({ free: { user: { imagesPerDay: 5, usdPerDay: 1 }, address: { imagesPerDay: 1 } } });
    expect(file.providers[0]).toMatchObject({ models: [{ price: { image: 0.04 } }] });
    expect(problemsOf('plans: { free: { person: {}, user: { pictures_per_day: 1, images_per_day: 2 } } }')).toEqual([
      'plans.free.user.pictures_per_day: is not a known setting',
      'plans.free.person: is not a known setting',
    ]);
  });

  it('reports everything that is wrong with plans', () => {
    const text = `
      plans:
        Free Plan: {}
        free:
          persons: { at_once: 1 }
          key: { requests_per_minute: -1, tokens_per_day: 1.5, tokens: 3, images_per_day: many }`;
    expect(problemsOf(text)).toEqual([
      'plans.Free Plan: must be up to 32 lowercase letters, digits and hyphens',
      'plans.free.key.requests_per_minute: must not be negative',
      'plans.free.key.tokens_per_day: must be a whole number',
      'plans.free.key.images_per_day: must be a number',
      'plans.free.key.tokens: is not a known setting',
      'plans.free.persons: is not a known setting',
    ]);
  });

  it('reports everything that is wrong with budgets', () => {
    const text = `
      plans:
        free:
          user: { dollars_per_day: -0.01, dollars_per_month: .nan }
          address: { dollars_per_day: 1 }
          raise_by_dollars: [0]
          tasks: { active: -1, shortest_interval_minutes: 0, daily: 1 }
      budget: { dollars_per_day: .inf, dollars_per_month: 0.0000000001, dollars_total: '5', dollars: 1 }`;
    expect(problemsOf(text)).toEqual([
      'plans.free.user.dollars_per_day: must not be negative',
      'plans.free.user.dollars_per_month: must be a number',
      'plans.free.address.dollars_per_day: is not a known setting',
      'plans.free.raise_by_dollars[0]: must be positive',
      'plans.free.tasks.active: must not be negative',
      'plans.free.tasks.shortest_interval_minutes: must be positive',
      'plans.free.tasks.daily: is not a known setting',
      'budget.dollars_per_day: must be a number',
      'budget.dollars_per_month: must have at most 9 decimals',
      'budget.dollars_total: must be a number',
      'budget.dollars: is not a known setting',
    ]);
  });

  it.each(['1000000.5', '1.0e+308'])('refuses a budget of %s dollars', (amount) => {
    expect(problemsOf(`budget: { dollars_total: ${amount} }`)).toContain(
      'budget.dollars_total: must be at most 1000000',
    );
  });

  it('reads budgets of 0 and of a billionth of a dollar', () => {
    const text = `
      plans: { free: { key: { dollars_total: 0 } } }
      budget: { dollars_per_month: 0.000000001 }`;
    expect(parse(text)).toMatchObject({
      plans: { free: { key: { usdTotal: 0 } } },
      budget: { usdPerMonth: 0.000000001 },
    });
  });

  it('reads prices of tokens and of images', () => {
    const text = `
      providers:
        - name: x
          base_url: http://x
          models:
            - { id: a, price: { input: 0.15, output: 0.6 } }
            - { id: b, type: image, price: { image: 0.04 } }
            - { id: c, price: { input: 1, output: 2, image: 0.01 } }
            - { id: d, type: image, price: { image: { low: 0.01, hd: { 1024x1024: 0.08, 1024x1792: 0.12 } } } }`;
    expect(parse(text).providers[0]).toMatchObject({
      models: [
        { price: { input: 0.15, output: 0.6 } },
        { price: { image: 0.04 } },
        { price: { input: 1, output: 2, image: 0.01 } },
        {
          price: {
            image: 0.12,
            imageRates: [
              { quality: 'low', usd: 0.01 },
              { quality: 'hd', size: '1024x1024', usd: 0.08 },
              { quality: 'hd', size: '1024x1792', usd: 0.12 },
            ],
          },
        },
      ],
    });
    expect(problemsOf(text.replace('output: 0.6', 'outptu: 0.6'))).toEqual([
      'providers[0].models[0].price.outptu: is not a known setting',
      'providers[0].models[0].price: must have input and output, or one of image, audio_minute, characters and request',
    ]);
    expect(problemsOf(text.replace(', output: 0.6', ''))).toEqual([
      'providers[0].models[0].price: must have input and output, or one of image, audio_minute, characters and request',
    ]);
    expect(problemsOf(text.replace('image: 0.04', 'image: -1'))).toEqual([
      'providers[0].models[1].price.image: must not be negative',
    ]);
  });

  it('reads which fields of requests cost nothing at a host', () => {
    const freeOf = (fields: string) =>
      parse(`providers: [{ name: x, base_url: http://x${fields} }]`).providers[0]?.freeFields;
    expect(freeOf(', free_fields: [transforms, tools.web_search]')).toEqual(['transforms', 'tools.web_search']);
    expect(freeOf(', free_fields: transforms')).toEqual(['transforms']);
    expect(freeOf('')).toBeUndefined();
  });

  it('reads which price list a host has', () => {
    const listOf = (fields: string) =>
      parse(`providers: [{ name: x, ${fields} }]`, { GROQ_API_KEY: 'k' }).providers[0]?.priceList;
    expect(listOf('preset: groq')).toBe('groq');
    expect(listOf('preset: groq, base_url: https://api.groq.com/openai/v1/')).toBe('groq');
    expect(listOf('preset: groq, base_url: http://proxy/v1')).toBeUndefined();
    expect(listOf('preset: groq, base_url: http://proxy/v1, price_list: groq')).toBe('groq');
    expect(listOf('base_url: http://localhost:1234/v1')).toBeUndefined();
    expect(listOf('base_url: http://localhost:1234/v1, price_list: free')).toBe('free');
    expect(problemsOf('providers: [{ name: x, base_url: http://x, price_list: cheap }]')).toEqual([
      'providers[0].price_list: must be free or the name of a preset',
    ]);
  });

  it('reads prices of each kind of tokens, of audio and of characters; 0 is a price', () => {
    const price =
      'input: 0, output: 12, cached_input: 0, cache_write: 3.75, reasoning: 5, audio_input: 40, audio_output: 80';
    const text = (fields: string) =>
      `providers: [{ name: x, base_url: http://x, models: [{ id: a, price: { ${fields} } }] }]`;
    expect(parse(text(price)).providers[0]).toMatchObject({
      models: [
        {
          price: {
            ...{ input: 0, output: 12, cachedInput: 0, cacheWrite: 3.75 },
            ...{ reasoning: 5, audioInput: 40, audioOutput: 80 },
          },
        },
      ],
    });
    expect(parse(text('audio_minute: 0.006')).providers[0]).toMatchObject({
      models: [{ price: { audioMinute: 0.006 } }],
    });
    expect(parse(text('characters: 15')).providers[0]).toMatchObject({ models: [{ price: { characters: 15 } }] });
  });

  it.each([
    ['-0.01', 'must not be negative'],
    ['.nan', 'must be a number'],
    ['.inf', 'must be a number'],
    ['1e308', 'must be at most 1000000'],
    ['"0.5"', 'must be a number'],
    ['null', 'must be a number'],
  ])('refuses the price %s', (value, problem) => {
    for (const field of ['input', 'cached_input', 'cache_write', 'reasoning', 'audio_input', 'audio_output']) {
      const others = field === 'input' ? 'output: 1' : 'input: 1, output: 1';
      const text = `providers: [{ name: x, base_url: http://x, models: [{ id: a, price: { ${others}, ${field}: ${value} } }] }]`;
      expect(problemsOf(text)).toEqual([`providers[0].models[0].price.${field}: ${problem}`]);
    }
  });
});
