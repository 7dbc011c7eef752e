import { z } from 'zod';
import { isNetwork } from '../lib/http/network.ts';
import {
  botToken,
  channelId,
  httpUrl,
  integerId,
  isOrigin,
  isPostgresUrl,
  list,
  text,
  toHeaders,
  toKeyBytes,
  wholeNumber,
} from './kinds-of-values.ts';

const otlpOrNone = z.enum(['otlp', 'none'], 'must be otlp or none').default('otlp');
const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

const KEY_BYTES = 32;
/** Named networks of `TRUSTED_PROXIES` (RFC 1918, RFC 4193). */
const PROXY_NETWORKS: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1'],
  private: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
};

/** Schema of the settings, one entry each, documented in docs/configuration.md. */
export const schema = z.object({
  /** Token of the bot from @BotFather. Unset: playground. */
  BOT_TOKEN: text.regex(botToken, 'must look like 123456789:AAE…, as given by @BotFather').optional(),
  /** URL of a self-hosted Bot API server. Unset: Telegram's. */
  TELEGRAM_API_ROOT: httpUrl.optional(),
  /** Secret of the webhook at PUBLIC_URL. Unset: updates are fetched by long polling. */
  WEBHOOK_SECRET: text
    .regex(/^[\w-]{16,256}$/, 'must be 16 to 256 letters, digits, _ and -, as printed by `openssl rand -hex 32`')
    .optional(),
  /** `postgres://user:password@host/database`. Unset: Postgres embedded in the process, in DATA_DIR. */
  DATABASE_URL: text
    .refine(
      isPostgresUrl,
      'must be a postgres:// address; special characters of user and password are percent-encoded (% is %25)',
    )
    .optional(),
  /** Base URL of an OpenAI-compatible service. Unset with a key: OpenAI's. */
  OPENAI_BASE_URL: httpUrl.optional(),
  /** API key of this service, or several separated by commas. */
  OPENAI_API_KEY: list.optional(),
  /** Models of this service, separated by commas; `*` allows any name. Unset: as listed by the service. */
  OPENAI_MODELS: list.optional(),
  /** Model that transcribes voice messages. Unset: the known one of OpenAI or Groq, else none. */
  OPENAI_TRANSCRIPTION_MODEL: text.optional(),
  /** Model that reads answers aloud. Unset: the known one of OpenAI, else none. */
  OPENAI_SPEECH_MODEL: text.optional(),
  /** Voice of the speech model. */
  OPENAI_SPEECH_VOICE: text.optional(),
  /** Audio format of the speech model; Telegram plays both as voice messages. */
  OPENAI_SPEECH_FORMAT: z.enum(['opus', 'mp3'], 'must be opus or mp3').optional(),
  /** Endpoint of an Azure OpenAI resource, for the preset `azure`. */
  AZURE_OPENAI_ENDPOINT: httpUrl.optional(),
  /** Name of the resource, instead of its endpoint. */
  AZURE_RESOURCE_NAME: text
    .regex(
      /^[a-z\d][a-z\d-]{0,62}[a-z\d]$/i,
      'must be the name of an Azure OpenAI resource: letters, digits and hyphens',
    )
    .optional(),
  /** Region of Amazon Bedrock. Without one, the other AWS variables are not used. */
  AWS_REGION: text.optional(),
  /** Bedrock API keys, separated by commas. */
  AWS_BEARER_TOKEN_BEDROCK: list.optional(),
  /** Credentials that sign requests to Bedrock, if there is no API key. */
  AWS_ACCESS_KEY_ID: text.optional(),
  AWS_SECRET_ACCESS_KEY: text.optional(),
  /** Token of temporary credentials. */
  AWS_SESSION_TOKEN: text.optional(),
  /** Path of a YAML file with providers, aliases and fallbacks. */
  PROVIDERS_FILE: text.optional(),
  /** Address of Ollama. Unset: its default address is tried if no other provider has chat models. */
  OLLAMA_HOST: text.optional(),
  /** URL of a Stable Diffusion WebUI for images; may contain `user:password@`. */
  SD_WEBUI_URL: httpUrl.optional(),
  /** Keys of the web search services Brave and Tavily, separated by commas, for the tool `web_search`. */
  BRAVE_API_KEY: list.optional(),
  TAVILY_API_KEY: list.optional(),
  /** URL of a SearXNG for web search; may contain `user:password@`. */
  SEARXNG_URL: httpUrl.optional(),
  /** Chat model of users who have not chosen one. Unset: the first one of the first provider. */
  DEFAULT_MODEL: text.optional(),
  /** Image model of users who have not chosen one. Unset: the first one available. */
  DEFAULT_IMAGE_MODEL: text.optional(),
  /** Universal API key, or `off` for none. Unset: a random key, created at the first start and stored in DATA_DIR. */
  UNIVERSAL_API_KEY: text
    .refine((key) => key === 'off' || key.length >= 16, {
      message: 'must have at least 16 characters (anyone who knows it can use your models), or be off',
    })
    .optional(),
  /** Address to listen on. */
  HOST: text.default('127.0.0.1'),
  /**
   * Allows the playground to listen on any HOST, as needed in containers. Its page then needs the secret of the link in
   * the start report, and still responds only under loopback names.
   */
  DEMO: z.enum(['true', 'false'], 'must be true or false').default('false'),
  PORT: text
    .regex(/^\d{1,5}$/, 'must be a number from 0 to 65535')
    .transform(Number)
    .refine((port) => port <= 65_535, 'must be a number from 0 to 65535')
    .default(8080),
  /** Public URL of the service, shown at the start. Unset: http://HOST:PORT. */
  PUBLIC_URL: httpUrl.optional(),
  /** Base URL of download links. Unset: PUBLIC_URL. */
  CLOUD_URL: httpUrl.optional(),
  /** Directory of all local data: database, files, encryption key. */
  DATA_DIR: text.default('./data'),
  /** Concurrent image requests of one user; further ones are queued. */
  IMAGES_AT_ONCE: text
    .regex(/^\d{1,2}$/, 'must be a number from 1 to 32')
    .transform(Number)
    .refine((count) => count >= 1 && count <= 32, 'must be a number from 1 to 32')
    .default(2),
  /** Where new files are stored. Unset: in the channels if there are any, otherwise in the bucket, otherwise on the disk. */
  STORAGE: z.enum(['disk', 'telegram', 's3'], 'must be disk, telegram or s3').optional(),
  /** Ids of the channels that store files, separated by commas. */
  STORAGE_CHAT_IDS: list
    .refine(
      (ids) => ids.length > 0 && ids.every((id) => channelId.test(id)),
      'must be ids of channels, like -1001234567890, separated by commas (a link to a message, t.me/c/1234567890/5, has the number after -100)',
    )
    .optional(),
  /** Tokens of the bots that store files in the channels, separated by commas. Unset: BOT_TOKEN. */
  STORAGE_BOT_TOKENS: list
    .refine((tokens) => tokens.every((token) => botToken.test(token)), 'must be bot tokens separated by commas')
    .optional(),
  /**
   * Part size: megabytes of a file in one message. More than 19 requires a self-hosted Bot API server with `--local`.
   */
  STORAGE_PART_MB: wholeNumber(1, 512).optional(),
  /** URL of an S3 bucket, in either style: `https://bucket.s3.eu-central-1.amazonaws.com`, `http://127.0.0.1:9000/bucket`. */
  S3_BUCKET_URL: httpUrl.optional(),
  /** Region of the bucket. Unset: as its URL says, otherwise us-east-1. */
  S3_REGION: text.regex(/^[\w-]{1,64}$/, 'must be the name of a region, such as eu-central-1').optional(),
  /** Key for the bucket, which may read, write and delete its objects. */
  S3_ACCESS_KEY_ID: text.optional(),
  S3_SECRET_ACCESS_KEY: text.optional(),
  /** Encryption key of files: 32 bytes in base64 or hexadecimal. Unset: created at the first start. */
  ENCRYPTION_KEY: text
    .transform(toKeyBytes)
    .refine((key) => key.length === KEY_BYTES, 'must be 32 bytes, as printed by `openssl rand -base64 32`')
    .optional(),
  /** Encryption keys that were used before `ENCRYPTION_KEY`, separated by commas. */
  FORMER_ENCRYPTION_KEYS: list
    .transform((keys) => keys.map(toKeyBytes))
    .refine((keys) => keys.every((key) => key.length === KEY_BYTES), 'must be keys of 32 bytes separated by commas')
    .optional(),
  /** Maximum file size in megabytes. */
  MAX_FILE_MB: wholeNumber(1, 1_000_000).default(2048),
  /** Megabytes that one user, and one address, may upload within 24 hours. 0: unlimited. */
  UPLOAD_MB_PER_DAY: wholeNumber(0, 1_000_000_000).default(10_240),
  /** Uploads over HTTP that are allowed: of anyone, of clients with an API key, or none. */
  UPLOADS: z.enum(['anyone', 'key', 'off'], 'must be anyone, key or off').default('anyone'),
  /** Sends only the file name as `Content-Disposition` of downloads, for old clients. */
  BARE_FILE_NAMES: z
    .enum(['true', 'false'], 'must be true or false')
    .transform((value) => value === 'true')
    .default(false),
  /** Telegram ids of the admins, separated by commas. */
  ADMIN_IDS: list
    .refine((ids) => ids.every((id) => integerId.test(id)), 'must be Telegram ids (numbers) separated by commas')
    .optional(),
  /** Telegram ids of users admitted besides the admins, separated by commas. Unset: everyone is admitted. */
  ALLOWED_IDS: list
    .refine(
      (ids) => ids.length > 0 && ids.every((id) => integerId.test(id)),
      'must be Telegram ids (numbers) separated by commas',
    )
    .optional(),
  /** Stores the name and username of each user as Telegram shows them, for admins. */
  STORE_NAMES: z
    .enum(['true', 'false'], 'must be true or false')
    .transform((value) => value === 'true')
    .default(false),
  /** Days after which messages are deleted. Unset: never. */
  RETENTION_DAYS: wholeNumber(1, 36_500).optional(),
  /**
   * Lets models generate titles of conversations, by one small request each. Otherwise titles are the first words of
   * the question.
   */
  MODEL_TITLES: z
    .enum(['true', 'false'], 'must be true or false')
    .transform((value) => value === 'true')
    .default(true),
  /** Origins whose pages may call the API from browsers (CORS), separated by commas; `*` allows all. Unset: none. */
  CORS_ORIGINS: list
    .refine(
      (origins) => origins.every((origin) => origin === '*' || isOrigin(origin)),
      'must be origins like https://chat.example.com, separated by commas and without a path, or *',
    )
    .optional(),
  /** Proxies whose `X-Forwarded-For` is trusted: addresses, networks, `loopback`, `private`. Unset: none. */
  TRUSTED_PROXIES: list
    .transform((names) => names.flatMap((name) => PROXY_NETWORKS[name] ?? [name]))
    .refine(
      (networks) => networks.every(isNetwork),
      'must be addresses like 10.0.0.7, networks like 10.0.0.0/8, loopback or private, separated by commas; /0 would let every client choose its address',
    )
    .optional(),
  /** Bearer token required for /metrics. Unset: the route does not exist. */
  METRICS_TOKEN: text.min(16, 'must have at least 16 characters').optional(),
  /** Base URL of a collector of traces, metrics and logs (OTLP over HTTP), `http://127.0.0.1:4318`. Unset: none. */
  OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl.optional(),
  /** Whole URLs for one signal each, in place of the base URL. */
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: httpUrl.optional(),
  OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: httpUrl.optional(),
  OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: httpUrl.optional(),
  /** Headers for the collector: `name=value` separated by commas, values percent-encoded. */
  OTEL_EXPORTER_OTLP_HEADERS: text
    .refine((value) => toHeaders(value) !== undefined, 'must be name=value, several separated by commas')
    .transform((value) => toHeaders(value) ?? {})
    .optional(),
  /** `none` sends no such signal to the collector. */
  OTEL_TRACES_EXPORTER: otlpOrNone,
  OTEL_METRICS_EXPORTER: otlpOrNone,
  OTEL_LOGS_EXPORTER: otlpOrNone,
  /** Interval of exports of metrics, milliseconds. */
  OTEL_METRIC_EXPORT_INTERVAL: wholeNumber(1000, 3_600_000).default(60_000),
  LOG_LEVEL: z.enum(LOG_LEVELS, `must be one of ${LOG_LEVELS.join(', ')}`).default('info'),
});

/** Parsed settings, each valid individually. */
export type CheckedSettings = z.output<typeof schema>;

/** Names of all settings, not including the keys of provider presets. */
export const settingNames: readonly string[] = Object.keys(schema.shape);

/** Settings that admins may make in the console. None of them lets admins reach more than a service's admin may. */
export const STORABLE_SETTINGS = [
  'BOT_TOKEN',
  'ADMIN_IDS',
  'ALLOWED_IDS',
  'STORAGE_CHAT_IDS',
  'UPLOADS',
  'DEFAULT_MODEL',
  'DEFAULT_IMAGE_MODEL',
  'BRAVE_API_KEY',
  'TAVILY_API_KEY',
  'SEARXNG_URL',
] as const satisfies readonly (keyof typeof schema.shape)[];
export type StorableSetting = (typeof STORABLE_SETTINGS)[number];
