import { describe, expect, it } from 'vitest';
import { describeModels, describeStart, describeTools } from '../../../src/cli/start-report.ts';
import { createConfig } from '../../../src/config/index.ts';
import type { ProviderStatus } from '../../../src/core/models/index.ts';

const status = (name: string, modelCount: number): ProviderStatus => ({
  name,
  modelCount,
  source: 'host',
  fetchedAt: 0,
  lastError: undefined,
});

describe('the start report about models', () => {
  it('names providers with their numbers of models, and the default models for chat and images', () => {
    const known = {
      providers: [status('groq', 12), status('silent', 0), status('sd-webui', 3)],
      modelCount: 15,
      defaultModel: 'llama',
      defaultImageModel: 'sdxl',
    };
    expect(describeModels(known)).toBe('12 from groq, 3 from sd-webui; default llama; images by sdxl');
    expect(describeModels({ ...known, defaultImageModel: undefined })).toMatch(/; default llama; no images$/);
  });

  it('says that there are no models while no provider has answered', () => {
    const known = { providers: [status('groq', 0)], modelCount: 0, defaultModel: undefined };
    expect(describeModels({ ...known, defaultImageModel: undefined })).toBe('none yet: no provider has responded');
  });

  it('is part of the whole report', () => {
    const app = {
      version: '0.3.0',
      url: 'http://127.0.0.1:8080',
      universalKey: { kind: 'off' } as const,
      defaultModel: 'demo',
      defaultImageModel: 'demo-image',
      modelCount: 4,
      providers: [status('demo', 4)],
      toolNames: ['calculator', 'current_time'],
      toolSources: [],
    };
    expect(describeStart(createConfig({}, []), app, { isTerminal: false })).toContain(
      'Models      4 from demo; default demo; images by demo-image\n',
    );
  });
});

describe('the start report about the universal key', () => {
  const app = {
    version: '0.3.0',
    url: 'http://127.0.0.1:8080',
    universalKey: { kind: 'file', path: '/data/universal-api-key', secret: 'sk-sb-secret' } as const,
    defaultModel: undefined,
    defaultImageModel: undefined,
    modelCount: 0,
    providers: [],
    toolNames: [],
    toolSources: [],
  };
  const playground = createConfig({}, []);
  const bot = createConfig({ BOT_TOKEN: '123456789:AAFqX-0123456789abcdefghijklmnopqrs' }, []);

  it('names the file, and no part of the key if the output may be stored', () => {
    for (const [config, isTerminal] of [
      [playground, false],
      [bot, false],
      [bot, true],
    ] as const) {
      const text = describeStart(config, app, { isTerminal });
      expect(text).toContain('  API key     in /data/universal-api-key\n');
      expect(text).not.toContain('sk-sb-');
    }
  });

  it('tells that strangers can upload', () => {
    const describeWith = (settings: Record<string, string>) =>
      describeStart(createConfig({ PUBLIC_URL: 'http://ai.example.com', ...settings }, []), app, { isTerminal: false });
    expect(describeWith({})).toContain(
      '  Uploads     anyone who reaches the service, without a key (UPLOADS=key requires one)\n',
    );
    expect(describeWith({ UPLOADS: 'key' })).not.toContain('Uploads');
  });

  it('contains the key as well on the terminal of a playground', () => {
    expect(describeStart(playground, app, { isTerminal: true })).toContain(
      '  API key     sk-sb-secret   (stored in /data/universal-api-key)\n',
    );
  });

  it('explains how to get a key if an earlier start has stored none', () => {
    const universalKey = { kind: 'elsewhere', path: '/data/universal-api-key' } as const;
    expect(describeStart(bot, { ...app, universalKey }, { isTerminal: false })).toMatch(
      /API key {5}created earlier, but not stored in \/data\/universal-api-key; .*--rotate-universal-key/,
    );
  });
});

describe('the start report about tools', () => {
  const source = (name: string, ...toolNames: string[]) => ({ name, toolNames, lastError: undefined });

  it('names the tools, and the sources that have not answered yet', () => {
    const toolSources = [source('search', 'web_search'), source('home')];
    expect(describeTools({ toolNames: ['calculator', 'web_search'], toolSources })).toBe(
      'calculator, web_search; nothing yet from home',
    );
    const many = Array.from({ length: 9 }, (_, at) => `tool_${at}`);
    expect(describeTools({ toolNames: many, toolSources: [] })).toMatch(/, tool_5 and 3 more$/);
  });

  it('says that there are no tools', () => {
    expect(describeTools({ toolNames: [], toolSources: [] })).toBe('none');
  });
});
