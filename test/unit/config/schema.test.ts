import { describe, expect, it } from 'vitest';
import { createConfig } from '../../../src/config/index.ts';
import { SettingsError } from '../../../src/lib/errors/settings-error.ts';

const token = `123456789:${'A'.repeat(35)}`;
const problemsOf = (values: Record<string, string>): readonly string[] => {
  try {
    createConfig(values, ['GROQ_API_KEY']);
    return [];
  } catch (error) {
    if (error instanceof SettingsError) return error.problems;
    throw error;
  }
};

describe('settings', () => {
  it('an empty configuration starts the playground on this machine with an embedded database', () => {
    const config = createConfig({}, []);
    expect(config.telegram).toEqual({
      mode: 'playground',
      isExposed: false,
      directory: expect.stringMatching(/data.playground$/),
    });
    expect(config.database).toMatchObject({ kind: 'embedded', directory: expect.stringMatching(/data.postgres$/) });
    expect(config.http).toEqual({
      host: '127.0.0.1',
      port: 8080,
      publicUrl: undefined,
      cloudUrl: undefined,
      hasBareFileNames: false,
      corsOrigins: [],
      trustedProxies: [],
    });
    expect(config.operations).toEqual({
      metricsToken: undefined,
      traces: undefined,
      metrics: undefined,
      logs: undefined,
    });
    expect(config.models).toEqual({
      presetKeys: {},
      openAi: undefined,
      providersFile: undefined,
      bedrock: undefined,
      ollamaHost: undefined,
      presetAddresses: { AZURE_OPENAI_ENDPOINT: undefined, AZURE_RESOURCE_NAME: undefined },
      sdWebUiUrl: undefined,
      defaultModel: undefined,
      defaultImageModel: undefined,
    });
  });

  it('operational settings are validated', () => {
    const config = createConfig(
      {
        CORS_ORIGINS: 'https://chat.example.com, http://localhost:3000',
        TRUSTED_PROXIES: 'loopback, 10.0.0.7, 2001:db8::/32',
        METRICS_TOKEN: 'a-token-for-prometheus',
        OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318/',
        OTEL_EXPORTER_OTLP_HEADERS: 'Authorization=Bearer%20x, x-team = a b',
      },
      [],
    );
    expect(config.http.corsOrigins).toEqual(['https://chat.example.com', 'http://localhost:3000']);
    expect(config.http.trustedProxies).toEqual(['127.0.0.0/8', '::1', '10.0.0.7', '2001:db8::/32']);
    const headers = { authorization: 'Bearer x', 'x-team': 'a b' };
    expect(config.operations).toEqual({
      metricsToken: 'a-token-for-prometheus',
      traces: { url: 'http://127.0.0.1:4318/v1/traces', headers },
      metrics: { url: 'http://127.0.0.1:4318/v1/metrics', headers, intervalMs: 60_000 },
      logs: { url: 'http://127.0.0.1:4318/v1/logs', headers },
    });
  });

  it('collectors of single signals replace the common one, and each signal can be turned off', () => {
    const { operations } = createConfig(
      {
        OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318/otlp',
        OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: 'https://logs.example.com/in',
        OTEL_TRACES_EXPORTER: 'none',
        OTEL_METRIC_EXPORT_INTERVAL: '5000',
      },
      [],
    );
    expect(operations.traces).toBeUndefined();
    expect(operations.metrics).toEqual({ url: 'http://127.0.0.1:4318/otlp/v1/metrics', headers: {}, intervalMs: 5000 });
    expect(operations.logs).toEqual({ url: 'https://logs.example.com/in', headers: {} });
    const only = createConfig({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://127.0.0.1:4318/v1/traces' }, []).operations;
    expect(only).toMatchObject({ traces: { headers: {} }, metrics: undefined, logs: undefined });
  });

  it.each([
    { ALLOWED_IDS: 'ann' },
    // An empty list would admit every user.
    { ALLOWED_IDS: ' , ' },
    { RETENTION_DAYS: '0' },
    { CORS_ORIGINS: 'chat.example.com' },
    { CORS_ORIGINS: 'https://chat.example.com/page' },
    { TRUSTED_PROXIES: 'everybody' },
    { TRUSTED_PROXIES: '10.0.0.0/33' },
    // A service that trusts every proxy would believe every address.
    { TRUSTED_PROXIES: 'loopback, 0.0.0.0/0' },
    { TRUSTED_PROXIES: '::/0' },
    { METRICS_TOKEN: 'short' },
    { OTEL_EXPORTER_OTLP_ENDPOINT: '127.0.0.1:4318' },
    { OTEL_EXPORTER_OTLP_HEADERS: 'no header' },
    { OTEL_EXPORTER_OTLP_HEADERS: 'a=%zz' },
    { OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: 'collector:4318' },
    { OTEL_METRICS_EXPORTER: 'prometheus' },
    { OTEL_METRIC_EXPORT_INTERVAL: '10' },
  ])('%o is refused with the name of the setting', (values) => {
    const [name = ''] = Object.keys(values);
    expect(() => createConfig(values, [])).toThrow(new RegExp(`^${name} `));
  });

  it('empty values count as unset, as in a copied example file', () => {
    expect(createConfig({ BOT_TOKEN: '', PORT: ' ', OPENAI_API_KEY: '' }, [])).toEqual(createConfig({}, []));
  });

  it('a token, a database and keys replace the playground, the embedded database and the demonstration', () => {
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
        ALLOWED_IDS: '333, 4444',
        RETENTION_DAYS: '30',
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
      allowedIds: [333, 4444],
      retentionDays: 30,
      http: { host: '::', port: 80, publicUrl: 'https://bot.example' },
    });
  });

  it('image settings select the model and the number of concurrent requests', () => {
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

  it('web search services are in the order of preference', () => {
    const values = { SEARXNG_URL: 'http://127.0.0.1:8888/', TAVILY_API_KEY: 'three', BRAVE_API_KEY: 'one, two' };
    expect(createConfig(values, []).webSearch).toEqual([
      { variable: 'BRAVE_API_KEY', kind: 'brave', apiKey: 'one' },
      { variable: 'BRAVE_API_KEY', kind: 'brave', apiKey: 'two' },
      { variable: 'TAVILY_API_KEY', kind: 'tavily', apiKey: 'three' },
      { variable: 'SEARXNG_URL', kind: 'searxng', baseUrl: 'http://127.0.0.1:8888' },
    ]);
    expect(createConfig({}, []).webSearch).toEqual([]);
    expect(problemsOf({ SEARXNG_URL: 'box:8888' })).toEqual(['SEARXNG_URL must be an http:// or https:// address']);
  });

  it('every problem is reported at once, each with its setting and a remedy', () => {
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

  it('a problem never contains a secret', () => {
    const secret = 'not-a-token-but-secret';
    expect(problemsOf({ BOT_TOKEN: secret, DATABASE_URL: `mysql://me:${secret}@x` }).join()).not.toContain(secret);
  });

  it('the playground listens on this machine only', () => {
    expect(problemsOf({ HOST: '0.0.0.0' })[0]).toContain('127.0.0.1');
    expect(problemsOf({ HOST: '0.0.0.0', BOT_TOKEN: token })).toEqual([]);
    expect(problemsOf({ HOST: '0.0.0.0', DEMO: 'true' })).toEqual([]);
    expect(problemsOf({ HOST: '0.0.0.0', DEMO: 'false' })).toHaveLength(1);
    expect(problemsOf({ BOT_TOKEN: token, DEMO: 'true' })).toHaveLength(1);
    for (const host of ['localhost', '::1', '127.0.0.2']) expect(problemsOf({ HOST: host })).toEqual([]);
    for (const host of ['127.evil.example', '10.0.0.1', '::']) expect(problemsOf({ HOST: host })).toHaveLength(1);
  });

  it('the playground asks a self-hosted Bot API server about tokens', () => {
    const apiRoot = 'http://localhost:8081';
    expect(createConfig({ TELEGRAM_API_ROOT: apiRoot }, []).telegram).toMatchObject({ mode: 'playground', apiRoot });
  });

  it('files are stored on disk, with a key next to them, unless there is a channel', () => {
    expect(createConfig({ DATA_DIR: '/srv/data' }, []).storage).toEqual({
      location: { kind: 'disk', directory: '/srv/data/files' },
      formerLocations: [],
      encryptionKey: { kind: 'file', path: '/srv/data/encryption.key' },
      formerEncryptionKeys: [],
      maxFileBytes: 2048 * 1024 * 1024,
      maxBytesPerDay: 10_240 * 1024 * 1024,
    });
  });

  it('files go to the channels, the bucket or the disk, as STORAGE says, and those elsewhere stay readable', () => {
    const bucket = {
      S3_BUCKET_URL: 'http://127.0.0.1:9000/files/',
      S3_ACCESS_KEY_ID: 'id',
      S3_SECRET_ACCESS_KEY: 'key',
    };
    const channels = { BOT_TOKEN: token, STORAGE_CHAT_IDS: '-1001234567890' };
    const kindsOf = (values: Record<string, string>) => {
      const { location, formerLocations } = createConfig(values, []).storage;
      return [location, ...formerLocations].map(({ kind }) => kind);
    };
    expect(kindsOf(bucket)).toEqual(['s3', 'disk']);
    expect(kindsOf({ ...bucket, ...channels })).toEqual(['telegram', 's3', 'disk']);
    expect(kindsOf({ ...bucket, ...channels, STORAGE: 's3' })).toEqual(['s3', 'telegram', 'disk']);
    expect(kindsOf({ ...bucket, STORAGE: 'disk' })).toEqual(['disk', 's3']);
    expect(createConfig(bucket, []).storage.location).toEqual({
      kind: 's3',
      url: 'http://127.0.0.1:9000/files',
      region: undefined,
      accessKeyId: 'id',
      secretAccessKey: 'key',
    });
    expect(problemsOf({ STORAGE: 's3' })).toEqual([
      'STORAGE is s3, which needs S3_BUCKET_URL and S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY',
    ]);
    expect(problemsOf({ S3_BUCKET_URL: 'http://127.0.0.1:9000/files' })).toEqual([
      'A bucket for files needs S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY',
    ]);
    expect(problemsOf({ STORAGE: 'telegram', BOT_TOKEN: token })[0]).toContain('STORAGE_CHAT_IDS');
    expect(problemsOf({ STORAGE: 'tape' })[0]).toContain('must be disk, telegram or s3');
  });

  it('storage channels and storage bots are lists without duplicates', () => {
    const worker = `987654321:${'B'.repeat(35)}`;
    const values = { BOT_TOKEN: token, STORAGE_CHAT_IDS: '-1001234567890, -1009876543210,-1001234567890' };
    const location = { kind: 'telegram', chatIds: [-1001234567890, -1009876543210], partBytes: 19 * 1024 * 1024 };
    expect(createConfig(values, []).storage.location).toMatchObject({ ...location, botTokens: [token] });
    expect(createConfig({ ...values, STORAGE_BOT_TOKENS: `${worker},${token}` }, []).storage.location).toMatchObject({
      ...location,
      botTokens: [worker, token],
    });
  });

  it('the key of files is 32 bytes, in any notation', () => {
    const key = Buffer.alloc(32, 7);
    for (const spelling of [key.toString('hex'), key.toString('base64'), key.toString('base64url')])
      expect(createConfig({ ENCRYPTION_KEY: spelling }, []).storage.encryptionKey).toEqual({ kind: 'given', key });
    for (const wrong of ['secret', 'ab'.repeat(31), key.toString('base64').slice(4), `${'ab'.repeat(32)}!`])
      expect(problemsOf({ ENCRYPTION_KEY: wrong })).toEqual([
        expect.stringMatching(/^ENCRYPTION_KEY must be 32 bytes/),
      ]);
  });

  it('links to files begin with CLOUD_URL, else with PUBLIC_URL', () => {
    const PUBLIC_URL = 'https://ai.example';
    expect(createConfig({ PUBLIC_URL }, []).http.cloudUrl).toBe(PUBLIC_URL);
    expect(createConfig({ PUBLIC_URL, CLOUD_URL: 'https://files.example/' }, []).http.cloudUrl).toBe(
      'https://files.example',
    );
  });

  it.each([
    [{ STORAGE_CHAT_IDS: '-1001234567890' }, 'STORAGE_CHAT_IDS needs BOT_TOKEN'],
    [{ BOT_TOKEN: token, STORAGE_CHAT_IDS: '@vault' }, 'STORAGE_CHAT_IDS must be ids of channels'],
    [{ BOT_TOKEN: token, STORAGE_CHAT_IDS: '1234567890' }, 'STORAGE_CHAT_IDS must be ids of channels'],
    [{ AWS_BEARER_TOKEN_BEDROCK: 'key' }, 'AWS_BEARER_TOKEN_BEDROCK needs AWS_REGION'],
    [{ AWS_BEARER_TOKEN_BEDROCK: 'key', AWS_REGION: 'auto' }, 'AWS_BEARER_TOKEN_BEDROCK needs AWS_REGION'],
    [{ AZURE_OPENAI_API_KEY: 'key' }, 'AZURE_OPENAI_API_KEY needs AZURE_OPENAI_ENDPOINT'],
    [{ AZURE_API_KEY: 'key' }, 'AZURE_API_KEY needs AZURE_OPENAI_ENDPOINT'],
    [{ AZURE_RESOURCE_NAME: 'evil.example/' }, 'AZURE_RESOURCE_NAME must be the name of an Azure OpenAI resource'],
    [{ BOT_TOKEN: token, STORAGE_BOT_TOKENS: token }, 'STORAGE_BOT_TOKENS needs STORAGE_CHAT_IDS'],
    [{ BOT_TOKEN: token, STORAGE_PART_MB: '5' }, 'STORAGE_PART_MB needs STORAGE_CHAT_IDS'],
    [
      { BOT_TOKEN: token, STORAGE_CHAT_IDS: '-1001234567890', STORAGE_PART_MB: '64' },
      'STORAGE_PART_MB over 19 needs TELEGRAM_API_ROOT',
    ],
    [{ MAX_FILE_MB: '0' }, 'MAX_FILE_MB must be a whole number'],
    [{ UPLOAD_MB_PER_DAY: '-1' }, 'UPLOAD_MB_PER_DAY must be a whole number'],
    [{ BARE_FILE_NAMES: 'maybe' }, 'BARE_FILE_NAMES must be true or false'],
  ])('%o is refused with an explanation', (values, words) => {
    expect(problemsOf(values)).toEqual([expect.stringContaining(words)]);
  });

  it('an invalid token among the storage bots is not repeated in the message', () => {
    const values = {
      BOT_TOKEN: token,
      STORAGE_CHAT_IDS: '-1001234567890',
      STORAGE_BOT_TOKENS: 'not-a-token-but-secret',
    };
    expect(problemsOf(values).join()).toMatch(/^STORAGE_BOT_TOKENS(?!.*secret)/);
  });
});

describe('a webhook', () => {
  const WEBHOOK_SECRET = 'a-secret-of-Telegram_and-us';
  const PUBLIC_URL = 'https://ai.example.com/';

  it('receives updates from Telegram; without a secret they are polled', () => {
    expect(createConfig({ BOT_TOKEN: token, PUBLIC_URL, WEBHOOK_SECRET }, []).telegram).toEqual({
      mode: 'bot',
      token,
      apiRoot: undefined,
      webhook: { url: 'https://ai.example.com/telegram/webhook', secret: WEBHOOK_SECRET },
    });
    expect(createConfig({ BOT_TOKEN: token, PUBLIC_URL }, []).telegram).toMatchObject({ webhook: undefined });
  });

  it('without TLS is allowed only with a self-hosted Bot API server', () => {
    const values = { BOT_TOKEN: token, PUBLIC_URL: 'http://10.0.0.5:8080', WEBHOOK_SECRET };
    expect(problemsOf({ ...values, TELEGRAM_API_ROOT: 'http://10.0.0.6:8081' })).toEqual([]);
    expect(problemsOf(values)).toEqual([expect.stringContaining('begins with https://')]);
  });

  it.each([
    [{ WEBHOOK_SECRET, PUBLIC_URL }, 'WEBHOOK_SECRET needs BOT_TOKEN'],
    [{ WEBHOOK_SECRET, BOT_TOKEN: token }, 'WEBHOOK_SECRET needs PUBLIC_URL'],
    [{ WEBHOOK_SECRET: 'short', BOT_TOKEN: token, PUBLIC_URL }, 'WEBHOOK_SECRET must be 16 to 256'],
    [{ WEBHOOK_SECRET: 'with spaces and more', BOT_TOKEN: token, PUBLIC_URL }, 'WEBHOOK_SECRET must be 16 to 256'],
  ])('%o is refused with an explanation', (values, words) => {
    expect(problemsOf(values)).toEqual([expect.stringContaining(words)]);
    expect(problemsOf(values).join()).not.toContain(WEBHOOK_SECRET);
  });
});
