import { z } from 'zod';
import { isNetwork } from '../lib/network.ts';
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

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

const KEY_BYTES = 32;
/** Networks that have a name in `TRUSTED_PROXIES` (RFC 1918, RFC 4193). */
const PROXY_NETWORKS: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1'],
  private: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
};

/** One entry a setting: the table of `.env.example` and the README. */
export const schema = z.object({
  /** The bot's token from @BotFather. Unset: playground. */
  BOT_TOKEN: text.regex(botToken, 'must look like 123456789:AAE…, as @BotFather gives it').optional(),
  /** A Bot API server of one's own. Unset: Telegram's. */
  TELEGRAM_API_ROOT: httpUrl.optional(),
  /** Telegram brings updates to PUBLIC_URL and shows this secret. Unset: the bot fetches them (long polling). */
  WEBHOOK_SECRET: text
    .regex(/^[\w-]{16,256}$/, 'must be 16 to 256 letters, digits, _ and -, as `openssl rand -hex 32` gives them')
    .optional(),
  /** `postgres://user:password@host/database`. Unset: Postgres embedded in the process, in DATA_DIR. */
  DATABASE_URL: text
    .refine(
      isPostgresUrl,
      'must be a postgres:// address; special characters of user and password are percent-encoded (% is %25)',
    )
    .optional(),
  /** Base address of an OpenAI-compatible service. Unset with a key: OpenAI's. */
  OPENAI_BASE_URL: httpUrl.optional(),
  /** Its key, or several separated by commas. */
  OPENAI_API_KEY: list.optional(),
  /** Its models, separated by commas; `*` lets any name through. Unset: asked of the service. */
  OPENAI_MODELS: list.optional(),
  /** Which of its models writes down what is said in voice messages. Unset: OpenAI's own and Groq's are known, others have none. */
  OPENAI_TRANSCRIPTION_MODEL: text.optional(),
  /** Which of its models reads answers aloud. Unset: OpenAI's own is known, others have none. */
  OPENAI_SPEECH_MODEL: text.optional(),
  /** The voice it does so with. */
  OPENAI_SPEECH_VOICE: text.optional(),
  /** What it sends: all three are played as voice messages. */
  OPENAI_SPEECH_FORMAT: z.enum(['opus', 'mp3'], 'must be opus or mp3').optional(),
  /** A YAML file of providers, aliases and fallbacks. */
  PROVIDERS_FILE: text.optional(),
  /** Where Ollama listens. Unset: looked for at its usual place when no other provider chats. */
  OLLAMA_HOST: text.optional(),
  /** A Stable Diffusion WebUI that draws pictures; may hold `user:password@`. */
  SD_WEBUI_URL: httpUrl.optional(),
  /** The model people get until they choose. Unset: the first of the first provider. */
  DEFAULT_MODEL: text.optional(),
  /** The image model people get until they choose. Unset: the first that there is. */
  DEFAULT_IMAGE_MODEL: text.optional(),
  /** The shared API key; `off`: there is none. Unset: a random one, made at the first start and kept in a file of DATA_DIR. */
  UNIVERSAL_API_KEY: text
    .refine((key) => key === 'off' || key.length >= 16, {
      message: 'must have at least 16 characters (everybody who knows it can use your models), or be off',
    })
    .optional(),
  /** Address to listen on. */
  HOST: text.default('127.0.0.1'),
  /** Lets the playground listen on any HOST, as a container needs. The page still answers under loopback names only. */
  DEMO: z.enum(['true', 'false'], 'must be true or false').default('false'),
  PORT: text
    .regex(/^\d{1,5}$/, 'must be a number from 0 to 65535')
    .transform(Number)
    .refine((port) => port <= 65_535, 'must be a number from 0 to 65535')
    .default(8080),
  /** How the world reaches this service: the address that the start shows. Unset: http://HOST:PORT. */
  PUBLIC_URL: httpUrl.optional(),
  /** What download links begin with. Unset: PUBLIC_URL. */
  CLOUD_URL: httpUrl.optional(),
  /** Where everything is that this process keeps by itself: database, files, encryption key. */
  DATA_DIR: text.default('./data'),
  /** Orders for pictures of one person that are worked on at the same time; more wait in order. */
  IMAGES_AT_ONCE: text
    .regex(/^\d{1,2}$/, 'must be a number from 1 to 32')
    .transform(Number)
    .refine((count) => count >= 1 && count <= 32, 'must be a number from 1 to 32')
    .default(2),
  /** Ids of the channels that keep the files, separated by commas. Unset: the disk does. */
  STORAGE_CHAT_IDS: list
    .refine(
      (ids) => ids.length > 0 && ids.every((id) => channelId.test(id)),
      'must be ids of channels, like -1001234567890, separated by commas (a link to a message, t.me/c/1234567890/5, has the number after -100)',
    )
    .optional(),
  /** Bots that carry files into the channels, separated by commas. Unset: BOT_TOKEN. */
  STORAGE_BOT_TOKENS: list
    .refine((tokens) => tokens.every((token) => botToken.test(token)), 'must be bot tokens separated by commas')
    .optional(),
  /** Megabytes of a file in one message. More than 19 only with a Bot API server of one's own that runs with `--local`. */
  STORAGE_PART_MB: wholeNumber(1, 512).optional(),
  /** 32 bytes in base64 or hexadecimal: whoever has them and the database can read every file. Unset: made at the first start. */
  ENCRYPTION_KEY: text
    .transform(toKeyBytes)
    .refine((key) => key.length === KEY_BYTES, 'must be 32 bytes, as `openssl rand -base64 32` gives them')
    .optional(),
  /** The largest file in megabytes. */
  MAX_FILE_MB: wholeNumber(1, 1_000_000).default(2048),
  /** Megabytes that one person, and one address, may upload within 24 hours. 0: any amount. */
  UPLOAD_MB_PER_DAY: wholeNumber(0, 1_000_000_000).default(10_240),
  /** For old clients: `Content-Disposition` of downloads is nothing but the name of the file. */
  BARE_FILE_NAMES: z
    .enum(['true', 'false'], 'must be true or false')
    .transform((value) => value === 'true')
    .default(false),
  /** Telegram ids of the people who run this service, separated by commas. */
  ADMIN_IDS: list
    .refine((ids) => ids.every((id) => integerId.test(id)), 'must be Telegram ids (numbers) separated by commas')
    .optional(),
  /** Telegram ids of the people who may use the bot beside the admins, separated by commas. Unset: everybody. */
  ALLOWED_IDS: list
    .refine(
      (ids) => ids.length > 0 && ids.every((id) => integerId.test(id)),
      'must be Telegram ids (numbers) separated by commas',
    )
    .optional(),
  /** Days after which messages of conversations are removed. Unset: never. */
  RETENTION_DAYS: wholeNumber(1, 36_500).optional(),
  /** Models are asked for titles of conversations, in one small request each. Else the first words of the question are the title. */
  MODEL_TITLES: z
    .enum(['true', 'false'], 'must be true or false')
    .transform((value) => value === 'true')
    .default(true),
  /** Origins whose pages may call the API in people's browsers, separated by commas; `*` are all. Unset: none. */
  CORS_ORIGINS: list
    .refine(
      (origins) => origins.every((origin) => origin === '*' || isOrigin(origin)),
      'must be origins like https://chat.example.com, separated by commas and without a path, or *',
    )
    .optional(),
  /** Proxies whose `X-Forwarded-For` is believed: addresses, networks, `loopback`, `private`. Unset: none. */
  TRUSTED_PROXIES: list
    .transform((names) => names.flatMap((name) => PROXY_NETWORKS[name] ?? [name]))
    .refine(
      (networks) => networks.every(isNetwork),
      'must be addresses like 10.0.0.7, networks like 10.0.0.0/8, loopback or private, separated by commas; /0 would let everybody say where they come from',
    )
    .optional(),
  /** What Prometheus shows as a bearer token to read /metrics. Unset: there is no such address. */
  METRICS_TOKEN: text.min(16, 'must have at least 16 characters').optional(),
  /** A collector that takes traces by OTLP over HTTP, `http://127.0.0.1:4318`. Unset: no traces. */
  OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl.optional(),
  /** What lets us in there: `name=value` separated by commas, values percent-encoded. */
  OTEL_EXPORTER_OTLP_HEADERS: text
    .refine((value) => toHeaders(value) !== undefined, 'must be name=value, several separated by commas')
    .transform((value) => toHeaders(value) ?? {})
    .optional(),
  LOG_LEVEL: z.enum(LOG_LEVELS, `must be one of ${LOG_LEVELS.join(', ')}`).default('info'),
});

/** The settings as they were given, checked one by one. */
export type CheckedSettings = z.output<typeof schema>;

/** Names of all settings, keys of provider presets not counted: what `.env.example` and the README explain. */
export const settingNames: readonly string[] = Object.keys(schema.shape);
