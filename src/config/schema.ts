import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { z } from 'zod';

/** Everything the process was told, checked. Wrong combinations can't be expressed. */
export interface Config {
  readonly telegram: TelegramConfig;
  readonly database:
    | { readonly kind: 'postgres'; readonly url: string }
    | { readonly kind: 'embedded'; readonly directory: string };
  readonly http: {
    readonly host: string;
    readonly port: number;
    readonly publicUrl: string | undefined;
    /** What download links begin with; undefined: `http://host:port`. */
    readonly cloudUrl: string | undefined;
    readonly hasBareFileNames: boolean;
    /** Origins whose pages may call the API, `https://chat.example.com`; `*` are all. Empty: none. */
    readonly corsOrigins: readonly string[];
  };
  readonly operations: OperationsSettings;
  readonly storage: StorageSettings;
  readonly models: ModelSettings;
  /** Unset: a random one is made at the first start. `off`: there is none. */
  readonly universalApiKey: string | undefined;
  /** Orders for pictures of one person at work at the same time. */
  readonly imagesAtOnce: number;
  readonly adminIds: readonly number[];
  /** Telegram ids of those who may use the service beside the admins. Empty: everybody may. */
  readonly allowedIds: readonly number[];
  /** Days after which messages of conversations are removed. Undefined: never. */
  readonly retentionDays: number | undefined;
  readonly logLevel: string;
}

export interface OperationsSettings {
  /** What Prometheus shows to read `/metrics`. Undefined: there are no metrics to be read. */
  readonly metricsToken: string | undefined;
  /** Where traces are sent, by OTLP over HTTP. Undefined: there are none. */
  readonly traces: { readonly endpoint: string; readonly headers: Readonly<Record<string, string>> } | undefined;
}

export type TelegramConfig =
  /** No token: the bot talks to the built-in simulator, people to its page. */
  | { readonly mode: 'playground' }
  | {
      readonly mode: 'bot';
      readonly token: string;
      readonly apiRoot: string | undefined;
      /** Where Telegram brings updates, and the secret that it shows there. Undefined: the bot fetches them. */
      readonly webhook: { readonly url: string; readonly secret: string } | undefined;
    };

export interface StorageSettings {
  readonly place: StoragePlace;
  readonly encryptionKey:
    | { readonly kind: 'given'; readonly key: Buffer }
    /** Made at the first start. */
    | { readonly kind: 'file'; readonly path: string };
  readonly maxFileBytes: number;
  /** What one person, and one address, may send within 24 hours. Undefined: any amount. */
  readonly maxBytesPerDay: number | undefined;
}

export type StoragePlace =
  | { readonly kind: 'disk'; readonly directory: string }
  | {
      readonly kind: 'telegram';
      /** At least one. */
      readonly botTokens: readonly string[];
      /** At least one. */
      readonly chatIds: readonly number[];
      readonly apiRoot: string | undefined;
      /** Bytes of a file in one message. */
      readonly partBytes: number;
    };

export interface ModelSettings {
  /** By the name of the variable, with the keys in it. */
  readonly presetKeys: Readonly<Record<string, readonly string[]>>;
  readonly openAi:
    | {
        readonly baseUrl: string | undefined;
        readonly apiKeys: readonly string[];
        readonly models: readonly string[];
        readonly transcriptionModel: string | undefined;
      }
    | undefined;
  /** Path of the providers file. */
  readonly providersFile: string | undefined;
  readonly ollamaHost: string | undefined;
  readonly sdWebUiUrl: string | undefined;
  readonly defaultModel: string | undefined;
  readonly defaultImageModel: string | undefined;
}

/** What is wrong with the settings, one readable line for each problem. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: readonly string[];
  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.problems = problems;
  }
}

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

const text = z.string().trim().min(1);
const httpUrl = text
  .refine(isHttpUrl, 'must be an http:// or https:// address')
  .transform((url) => url.replace(/\/+$/, ''));
const list = text.transform((value) =>
  value
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== ''),
);
const integerId = /^[1-9]\d{0,15}$/;
const channelId = /^-\d{5,15}$/;
const botToken = /^\d+:[\w-]{20,}$/;
const wholeNumber = (least: number, most: number) =>
  text
    .refine((value) => /^\d{1,12}$/.test(value) && Number(value) >= least && Number(value) <= most, {
      message: `must be a whole number from ${least} to ${most}`,
    })
    .transform(Number);
const MIB = 1024 * 1024;
/** The hosted Bot API gives back files of 20 MiB at most; encryption adds a little. */
const HOSTED_PART_MB = 19;
const KEY_BYTES = 32;
/** Where the HTTP server takes updates. */
const WEBHOOK_PATH = '/telegram/webhook';

/** One entry a setting: the table of `.env.example` and the README. */
const schema = z.object({
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
  /** The shared API key; `off`: there is none. Unset: a random one, made at the first start and printed once. */
  UNIVERSAL_API_KEY: text
    .refine((key) => key === 'off' || key.length >= 16, {
      message: 'must have at least 16 characters (everybody who knows it can use your models), or be off',
    })
    .optional(),
  /** Address to listen on. */
  HOST: text.default('127.0.0.1'),
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
  /** Origins whose pages may call the API in people's browsers, separated by commas; `*` are all. Unset: none. */
  CORS_ORIGINS: list
    .refine(
      (origins) => origins.every((origin) => origin === '*' || isOrigin(origin)),
      'must be origins like https://chat.example.com, separated by commas and without a path, or *',
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

/** Names of all settings, keys of provider presets not counted: what `.env.example` and the README explain. */
export const settingNames: readonly string[] = Object.keys(schema.shape);

/**
 * Turns settings into a configuration. Pure: reads nothing but its arguments. An empty value counts as unset.
 * @param values the environment.
 * @param presetKeyVariables names of the variables that switch provider presets on.
 * @throws ConfigError with every problem at once.
 */
export function createConfig(
  values: Readonly<Record<string, string | undefined>>,
  presetKeyVariables: readonly string[],
): Config {
  const set = Object.fromEntries(
    Object.entries(values).filter(([, value]) => value !== undefined && value.trim() !== ''),
  );
  const parsed = schema.safeParse(set);
  const problems = parsed.success ? [] : parsed.error.issues.map((issue) => `${issue.path.join('.')} ${issue.message}`);
  problems.push(...findWrongCombinations(set));
  if (!parsed.success || problems.length > 0) throw new ConfigError(problems);
  const settings = parsed.data;
  return {
    telegram:
      settings.BOT_TOKEN === undefined
        ? { mode: 'playground' }
        : {
            mode: 'bot',
            token: settings.BOT_TOKEN,
            apiRoot: settings.TELEGRAM_API_ROOT,
            webhook:
              settings.WEBHOOK_SECRET === undefined
                ? undefined
                : { url: `${settings.PUBLIC_URL}${WEBHOOK_PATH}`, secret: settings.WEBHOOK_SECRET },
          },
    database:
      settings.DATABASE_URL === undefined
        ? { kind: 'embedded', directory: resolve(settings.DATA_DIR, 'postgres') }
        : { kind: 'postgres', url: settings.DATABASE_URL },
    http: {
      host: settings.HOST,
      port: settings.PORT,
      publicUrl: settings.PUBLIC_URL,
      cloudUrl: settings.CLOUD_URL ?? settings.PUBLIC_URL,
      hasBareFileNames: settings.BARE_FILE_NAMES,
      corsOrigins: settings.CORS_ORIGINS ?? [],
    },
    operations: toOperationsSettings(settings),
    storage: toStorageSettings(settings),
    models: {
      presetKeys: Object.fromEntries(
        presetKeyVariables.flatMap((name) => (set[name] === undefined ? [] : [[name, list.parse(set[name])]])),
      ),
      openAi:
        settings.OPENAI_BASE_URL === undefined && settings.OPENAI_API_KEY === undefined
          ? undefined
          : {
              baseUrl: settings.OPENAI_BASE_URL,
              apiKeys: settings.OPENAI_API_KEY ?? [],
              models: settings.OPENAI_MODELS ?? [],
              transcriptionModel: settings.OPENAI_TRANSCRIPTION_MODEL,
            },
      providersFile: settings.PROVIDERS_FILE,
      ollamaHost: settings.OLLAMA_HOST,
      sdWebUiUrl: settings.SD_WEBUI_URL,
      defaultModel: settings.DEFAULT_MODEL,
      defaultImageModel: settings.DEFAULT_IMAGE_MODEL,
    },
    universalApiKey: settings.UNIVERSAL_API_KEY,
    imagesAtOnce: settings.IMAGES_AT_ONCE,
    adminIds: (settings.ADMIN_IDS ?? []).map(Number),
    allowedIds: (settings.ALLOWED_IDS ?? []).map(Number),
    retentionDays: settings.RETENTION_DAYS,
    logLevel: settings.LOG_LEVEL,
  };
}

function toStorageSettings(settings: z.output<typeof schema>): StorageSettings {
  const botTokens = settings.STORAGE_BOT_TOKENS ?? (settings.BOT_TOKEN === undefined ? [] : [settings.BOT_TOKEN]);
  return {
    place:
      settings.STORAGE_CHAT_IDS === undefined
        ? { kind: 'disk', directory: resolve(settings.DATA_DIR, 'files') }
        : {
            kind: 'telegram',
            botTokens: [...new Set(botTokens)],
            chatIds: [...new Set(settings.STORAGE_CHAT_IDS.map(Number))],
            apiRoot: settings.TELEGRAM_API_ROOT,
            partBytes: (settings.STORAGE_PART_MB ?? HOSTED_PART_MB) * MIB,
          },
    encryptionKey:
      settings.ENCRYPTION_KEY === undefined
        ? { kind: 'file', path: resolve(settings.DATA_DIR, 'encryption.key') }
        : { kind: 'given', key: settings.ENCRYPTION_KEY },
    maxFileBytes: settings.MAX_FILE_MB * MIB,
    maxBytesPerDay: settings.UPLOAD_MB_PER_DAY === 0 ? undefined : settings.UPLOAD_MB_PER_DAY * MIB,
  };
}

function toOperationsSettings(settings: z.output<typeof schema>): OperationsSettings {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_HEADERS: headers = {} } = settings;
  return {
    metricsToken: settings.METRICS_TOKEN,
    traces: endpoint === undefined ? undefined : { endpoint, headers },
  };
}

function findWrongCombinations(set: Readonly<Record<string, string | undefined>>): string[] {
  const problems: string[] = [];
  if (!set['BOT_TOKEN'] && set['TELEGRAM_API_ROOT'])
    problems.push('TELEGRAM_API_ROOT needs BOT_TOKEN: without a token the built-in simulator is used');
  problems.push(...findWrongWebhook(set));
  if (!set['BOT_TOKEN'] && set['HOST'] && !isLoopback(set['HOST']))
    problems.push(
      `HOST is ${set['HOST']} but BOT_TOKEN is not set: the playground has no passwords and listens on this machine only (127.0.0.1). Set BOT_TOKEN, or leave HOST away`,
    );
  if (!set['BOT_TOKEN'] && set['STORAGE_CHAT_IDS'])
    problems.push('STORAGE_CHAT_IDS needs BOT_TOKEN: the playground keeps files on the disk');
  for (const name of ['STORAGE_BOT_TOKENS', 'STORAGE_PART_MB'])
    if (set[name] && !set['STORAGE_CHAT_IDS'])
      problems.push(`${name} needs STORAGE_CHAT_IDS: without a channel files are kept on the disk`);
  if (Number(set['STORAGE_PART_MB']) > HOSTED_PART_MB && !set['TELEGRAM_API_ROOT'])
    problems.push(
      `STORAGE_PART_MB over ${HOSTED_PART_MB} needs TELEGRAM_API_ROOT: Telegram's own Bot API gives back 20 MiB at most`,
    );
  if (set['OPENAI_MODELS'] && !set['OPENAI_API_KEY'] && !set['OPENAI_BASE_URL'])
    problems.push(
      'OPENAI_MODELS needs OPENAI_API_KEY or OPENAI_BASE_URL: it says which models of that service are offered',
    );
  if (set['OPENAI_TRANSCRIPTION_MODEL'] && !set['OPENAI_API_KEY'] && !set['OPENAI_BASE_URL'])
    problems.push(
      'OPENAI_TRANSCRIPTION_MODEL needs OPENAI_API_KEY or OPENAI_BASE_URL: it says which model of that service listens',
    );
  return problems;
}

function findWrongWebhook(set: Readonly<Record<string, string | undefined>>): string[] {
  if (!set['WEBHOOK_SECRET']) return [];
  if (!set['BOT_TOKEN']) return ['WEBHOOK_SECRET needs BOT_TOKEN: the playground fetches its updates'];
  if (!set['PUBLIC_URL'])
    return ['WEBHOOK_SECRET needs PUBLIC_URL: the https:// address to which Telegram can bring updates'];
  // Only a Bot API server of one's own brings updates without TLS.
  return set['PUBLIC_URL'].trim().startsWith('https:') || set['TELEGRAM_API_ROOT']
    ? []
    : ['WEBHOOK_SECRET needs a PUBLIC_URL that begins with https://: Telegram brings updates to no other'];
}

/** Hexadecimal or base64; nothing where it is neither. */
function toKeyBytes(value: string): Buffer {
  if (/^[\da-f]{64}$/i.test(value)) return Buffer.from(value, 'hex');
  return /^[\w+/-]+={0,2}$/.test(value) ? Buffer.from(value, 'base64') : Buffer.alloc(0);
}

/** `name=value,name=value` as OpenTelemetry has it; undefined where it is malformed. */
function toHeaders(value: string): Record<string, string> | undefined {
  const pairs = value.split(',').map((pair) => /^\s*([\w-]+)\s*=\s*([!-~ ]*?)\s*$/.exec(pair));
  try {
    return Object.fromEntries(
      pairs.map((pair) => {
        if (!pair) throw new TypeError('no header');
        return [pair[1]?.toLowerCase(), decodeURIComponent(pair[2] ?? '')];
      }),
    );
  } catch {
    return undefined;
  }
}

function isOrigin(value: string): boolean {
  return isHttpUrl(value) && new URL(value).origin === value;
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

function isPostgresUrl(value: string): boolean {
  if (!/^postgres(ql)?:\/\//.test(value) || !URL.canParse(value)) return false;
  const { username, password } = new URL(value);
  try {
    return decodeURIComponent(username + password) !== undefined;
  } catch {
    return false;
  }
}

function isHttpUrl(value: string): boolean {
  return URL.canParse(value) && /^https?:$/.test(new URL(value).protocol);
}
