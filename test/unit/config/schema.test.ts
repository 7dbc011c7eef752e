import { describe, expect, it } from 'vitest';
import { ConfigError, createConfig } from '../../../src/config/index.ts';

const token = `123456789:${'A'.repeat(35)}`;
const problemsOf = (values: Record<string, string>): readonly string[] => {
  try {
    createConfig(values, ['GROQ_API_KEY']);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
};

describe('settings', () => {
  it('none at all mean the playground on this machine with an embedded database', () => {
    const config = createConfig({}, []);
    expect(config.telegram).toEqual({ mode: 'playground' });
    expect(config.database).toMatchObject({ kind: 'embedded', directory: expect.stringMatching(/data.postgres$/) });
    expect(config.http).toEqual({ host: '127.0.0.1', port: 8080, publicUrl: undefined });
    expect(config.models).toEqual({
      presetKeys: {},
      openAi: undefined,
      providersFile: undefined,
      ollamaHost: undefined,
      sdWebUiUrl: undefined,
      defaultModel: undefined,
      defaultImageModel: undefined,
    });
  });

  it('empty values count as unset, as in a copied example file', () => {
    expect(createConfig({ BOT_TOKEN: '', PORT: ' ', OPENAI_API_KEY: '' }, [])).toEqual(createConfig({}, []));
  });

  it('a token, a database and keys switch the real things on', () => {
    const config = createConfig(
      {
        BOT_TOKEN: token,
        DATABASE_URL: 'postgres://u:p@db/x',
        GROQ_API_KEY: 'a, b',
        OPENAI_API_KEY: 'k',
        OPENAI_MODELS: '*',
        HOST: '::',
        PORT: '80',
        ADMIN_IDS: '1,22',
        PUBLIC_URL: 'https://bot.example/',
      },
      ['GROQ_API_KEY', 'XAI_API_KEY'],
    );
    expect(config.telegram).toEqual({ mode: 'bot', token, apiRoot: undefined });
    expect(config.database).toEqual({ kind: 'postgres', url: 'postgres://u:p@db/x' });
    expect(config.models).toMatchObject({
      presetKeys: { GROQ_API_KEY: ['a', 'b'] },
      openAi: { baseUrl: undefined, apiKeys: ['k'], models: ['*'] },
    });
    expect(config).toMatchObject({
      adminIds: [1, 22],
      http: { host: '::', port: 80, publicUrl: 'https://bot.example' },
    });
  });

  it('of pictures say who draws and how many at a time', () => {
    const config = createConfig(
      { SD_WEBUI_URL: 'http://me:secret@box:7860/', DEFAULT_IMAGE_MODEL: 'sdxl', IMAGES_AT_ONCE: '5' },
      [],
    );
    expect(config.models).toMatchObject({ sdWebUiUrl: 'http://me:secret@box:7860', defaultImageModel: 'sdxl' });
    expect(config.imagesAtOnce).toBe(5);
    expect(problemsOf({ SD_WEBUI_URL: 'box:7860', IMAGES_AT_ONCE: '0' })).toEqual([
      'SD_WEBUI_URL must be an http:// or https:// address',
      'IMAGES_AT_ONCE must be a number from 1 to 32',
    ]);
  });

  it('every problem is reported at once, each with its setting and what to do', () => {
    const problems = problemsOf({
      BOT_TOKEN: 'nonsense',
      PORT: '99999',
      DATABASE_URL: 'mysql://x',
      PUBLIC_URL: 'bot.example',
      ADMIN_IDS: 'ann',
      LOG_LEVEL: 'loud',
      UNIVERSAL_API_KEY: 'short',
      OPENAI_MODELS: 'x',
    });
    expect(problems.map((problem) => problem.split(' ')[0]).sort()).toEqual(
      [
        'ADMIN_IDS',
        'BOT_TOKEN',
        'DATABASE_URL',
        'LOG_LEVEL',
        'OPENAI_MODELS',
        'PORT',
        'PUBLIC_URL',
        'UNIVERSAL_API_KEY',
      ].sort(),
    );
  });

  it('a problem never repeats a secret', () => {
    const secret = 'not-a-token-but-secret';
    expect(problemsOf({ BOT_TOKEN: secret, DATABASE_URL: `mysql://me:${secret}@x` }).join()).not.toContain(secret);
  });

  it('the playground listens on this machine only', () => {
    expect(problemsOf({ HOST: '0.0.0.0' })[0]).toContain('127.0.0.1');
    expect(problemsOf({ HOST: '0.0.0.0', BOT_TOKEN: token })).toEqual([]);
    for (const host of ['localhost', '::1', '127.0.0.2']) expect(problemsOf({ HOST: host })).toEqual([]);
    for (const host of ['127.evil.example', '10.0.0.1', '::']) expect(problemsOf({ HOST: host })).toHaveLength(1);
  });

  it("the simulator and a Bot API server of one's own exclude each other", () => {
    expect(problemsOf({ TELEGRAM_API_ROOT: 'http://localhost:8081' })[0]).toContain('BOT_TOKEN');
  });
});
