import { resolve } from 'node:path';
import type { z } from 'zod';
import { SettingsError } from '../lib/errors/settings-error.ts';
import type {
  CollectorSettings,
  Config,
  ModelSettings,
  OperationsSettings,
  StorageLocation,
  StorageSettings,
} from './config.ts';
import { AWS_REGION, findWrongCombinations, HOSTED_PART_MB, isLoopback } from './find-wrong-combinations.ts';
import { list } from './kinds-of-values.ts';
import { type CheckedSettings, schema } from './schema.ts';

const MIB = 1024 * 1024;
/** Path of the webhook on the HTTP server. */
const WEBHOOK_PATH = '/telegram/webhook';

/**
 * Converts settings to a configuration. Pure. An empty value counts as unset.
 * @param values the environment.
 * @param presetKeyVariables names of the variables that enable provider presets.
 * @throws SettingsError with all problems at once.
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
  if (!parsed.success || problems.length > 0) throw new SettingsError(problems);
  const settings = parsed.data;
  return {
    telegram:
      settings.BOT_TOKEN === undefined
        ? {
            mode: 'playground',
            directory: resolve(settings.DATA_DIR, 'playground'),
            isExposed: !isLoopback(settings.HOST),
            apiRoot: settings.TELEGRAM_API_ROOT,
          }
        : {
            mode: 'bot',
            token: settings.BOT_TOKEN,
            apiRoot: settings.TELEGRAM_API_ROOT,
            webhook:
              settings.WEBHOOK_SECRET === undefined
                ? undefined
                : { url: `${settings.PUBLIC_URL}${WEBHOOK_PATH}`, secret: settings.WEBHOOK_SECRET },
          },
    ...toLocalSettings(settings),
    http: {
      host: settings.HOST,
      port: settings.PORT,
      publicUrl: settings.PUBLIC_URL,
      cloudUrl: settings.CLOUD_URL ?? settings.PUBLIC_URL,
      hasBareFileNames: settings.BARE_FILE_NAMES,
      corsOrigins: settings.CORS_ORIGINS ?? [],
      trustedProxies: settings.TRUSTED_PROXIES ?? [],
    },
    operations: toOperationsSettings(settings),
    storage: toStorageSettings(settings),
    models: {
      presetKeys: Object.fromEntries(
        presetKeyVariables.flatMap((name) => (set[name] === undefined ? [] : [[name, list.parse(set[name])]])),
      ),
      presetAddresses: {
        AZURE_OPENAI_ENDPOINT: settings.AZURE_OPENAI_ENDPOINT,
        AZURE_RESOURCE_NAME: settings.AZURE_RESOURCE_NAME,
      },
      openAi:
        settings.OPENAI_BASE_URL === undefined && settings.OPENAI_API_KEY === undefined
          ? undefined
          : {
              baseUrl: settings.OPENAI_BASE_URL,
              apiKeys: settings.OPENAI_API_KEY ?? [],
              models: settings.OPENAI_MODELS ?? [],
              transcriptionModel: settings.OPENAI_TRANSCRIPTION_MODEL,
              speech: {
                model: settings.OPENAI_SPEECH_MODEL,
                voice: settings.OPENAI_SPEECH_VOICE,
                format: settings.OPENAI_SPEECH_FORMAT,
              },
            },
      bedrock: toBedrockSettings(settings),
      ollamaHost: settings.OLLAMA_HOST,
      sdWebUiUrl: settings.SD_WEBUI_URL,
      defaultModel: settings.DEFAULT_MODEL,
      defaultImageModel: settings.DEFAULT_IMAGE_MODEL,
    },
    webSearch: toWebSearchSettings(settings),
    universalApiKey: settings.UNIVERSAL_API_KEY,
    universalKeyPath: resolve(settings.DATA_DIR, 'universal-api-key'),
    imagesAtOnce: settings.IMAGES_AT_ONCE,
    adminIds: (settings.ADMIN_IDS ?? []).map(Number),
    allowedIds: (settings.ALLOWED_IDS ?? []).map(Number),
    storesNames: settings.STORE_NAMES,
    uploads: settings.UPLOADS,
    retentionDays: settings.RETENTION_DAYS,
    asksForTitles: settings.MODEL_TITLES,
    logLevel: settings.LOG_LEVEL,
  };
}

/** Settings by which a process finds those that admins have stored. */
export interface Foundation
  extends Pick<Config, 'dataDirectory' | 'database' | 'operations' | 'logLevel'>,
    Pick<StorageSettings, 'encryptionKey' | 'formerEncryptionKeys'> {}

const foundationSchema = schema.pick({
  ...{ DATABASE_URL: true, DATA_DIR: true, ENCRYPTION_KEY: true, FORMER_ENCRYPTION_KEYS: true, LOG_LEVEL: true },
  METRICS_TOKEN: true,
  ...{ OTEL_EXPORTER_OTLP_ENDPOINT: true, OTEL_EXPORTER_OTLP_HEADERS: true, OTEL_METRIC_EXPORT_INTERVAL: true },
  ...{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: true, OTEL_TRACES_EXPORTER: true },
  ...{ OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: true, OTEL_METRICS_EXPORTER: true },
  ...{ OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: true, OTEL_LOGS_EXPORTER: true },
});

/** Returns the part of the configuration that is needed to read what is stored; undefined if it is invalid. */
export function findFoundation(values: Readonly<Record<string, string | undefined>>): Foundation | undefined {
  const set = Object.fromEntries(Object.entries(values).filter(([, value]) => value?.trim()));
  const { data: settings } = foundationSchema.safeParse(set);
  if (!settings) return undefined;
  return {
    ...toLocalSettings(settings),
    encryptionKey: toEncryptionKey(settings),
    formerEncryptionKeys: settings.FORMER_ENCRYPTION_KEYS ?? [],
    operations: toOperationsSettings(settings),
    logLevel: settings.LOG_LEVEL,
  };
}

type FoundationSettings = z.output<typeof foundationSchema>;

function toLocalSettings(settings: FoundationSettings): Pick<Config, 'dataDirectory' | 'database'> {
  return {
    dataDirectory: resolve(settings.DATA_DIR),
    database:
      settings.DATABASE_URL === undefined
        ? { kind: 'embedded', directory: resolve(settings.DATA_DIR, 'postgres') }
        : { kind: 'postgres', url: settings.DATABASE_URL },
  };
}

function toEncryptionKey(settings: FoundationSettings): StorageSettings['encryptionKey'] {
  return settings.ENCRYPTION_KEY === undefined
    ? { kind: 'file', path: resolve(settings.DATA_DIR, 'encryption.key') }
    : { kind: 'given', key: settings.ENCRYPTION_KEY };
}

/**
 * These variables may be set for other programs, and stores with Amazon's protocol have regions of their own: without a
 * region of AWS they are ignored.
 */
function toBedrockSettings(settings: CheckedSettings): ModelSettings['bedrock'] {
  const {
    AWS_REGION: region,
    AWS_BEARER_TOKEN_BEDROCK: apiKeys = [],
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    AWS_SESSION_TOKEN: sessionToken,
  } = settings;
  const credentials =
    accessKeyId === undefined || secretAccessKey === undefined
      ? undefined
      : { accessKeyId, secretAccessKey, ...(sessionToken !== undefined && { sessionToken }) };
  if (region === undefined || !AWS_REGION.test(region)) return undefined;
  return apiKeys.length === 0 && !credentials ? undefined : { region, apiKeys, credentials };
}

function toWebSearchSettings(settings: CheckedSettings): Config['webSearch'] {
  const { BRAVE_API_KEY: brave = [], TAVILY_API_KEY: tavily = [], SEARXNG_URL: baseUrl } = settings;
  return [
    ...brave.map((apiKey) => ({ variable: 'BRAVE_API_KEY', kind: 'brave' as const, apiKey })),
    ...tavily.map((apiKey) => ({ variable: 'TAVILY_API_KEY', kind: 'tavily' as const, apiKey })),
    ...(baseUrl === undefined ? [] : [{ variable: 'SEARXNG_URL', kind: 'searxng' as const, baseUrl }]),
  ];
}

function toStorageSettings(settings: CheckedSettings): StorageSettings {
  const locations = listLocations(settings);
  const location = locations.find(({ kind }) => kind === settings.STORAGE) ?? locations[0];
  return {
    location,
    formerLocations: locations.filter((other) => other !== location),
    encryptionKey: toEncryptionKey(settings),
    formerEncryptionKeys: settings.FORMER_ENCRYPTION_KEYS ?? [],
    maxFileBytes: settings.MAX_FILE_MB * MIB,
    maxBytesPerDay: settings.UPLOAD_MB_PER_DAY === 0 ? undefined : settings.UPLOAD_MB_PER_DAY * MIB,
  };
}

/** Lists the locations that are set up, in the order of preference. */
function listLocations(settings: CheckedSettings): [StorageLocation, ...StorageLocation[]] {
  const {
    STORAGE_CHAT_IDS: chatIds,
    S3_BUCKET_URL: url,
    S3_ACCESS_KEY_ID: accessKeyId,
    S3_SECRET_ACCESS_KEY: secretAccessKey,
  } = settings;
  const botTokens = settings.STORAGE_BOT_TOKENS ?? (settings.BOT_TOKEN === undefined ? [] : [settings.BOT_TOKEN]);
  const disk: StorageLocation = { kind: 'disk', directory: resolve(settings.DATA_DIR, 'files') };
  const channels: StorageLocation | undefined = chatIds && {
    kind: 'telegram',
    botTokens: [...new Set(botTokens)],
    chatIds: [...new Set(chatIds.map(Number))],
    apiRoot: settings.TELEGRAM_API_ROOT,
    partBytes: (settings.STORAGE_PART_MB ?? HOSTED_PART_MB) * MIB,
  };
  const bucket: StorageLocation | undefined =
    url === undefined || accessKeyId === undefined || secretAccessKey === undefined
      ? undefined
      : { kind: 's3', url, region: settings.S3_REGION, accessKeyId, secretAccessKey };
  const [first, ...others] = [channels, bucket].filter((location) => location !== undefined);
  return first ? [first, ...others, disk] : [disk];
}

function toOperationsSettings(settings: FoundationSettings): OperationsSettings {
  const metrics = toCollector(settings, 'METRICS');
  return {
    metricsToken: settings.METRICS_TOKEN,
    traces: toCollector(settings, 'TRACES'),
    metrics: metrics && { ...metrics, intervalMs: settings.OTEL_METRIC_EXPORT_INTERVAL },
    logs: toCollector(settings, 'LOGS'),
  };
}

/** Returns the collector of a signal by OpenTelemetry's rules: its own URL as it is, or a path below the common one. */
function toCollector(
  settings: FoundationSettings,
  signal: 'TRACES' | 'METRICS' | 'LOGS',
): CollectorSettings | undefined {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: base, OTEL_EXPORTER_OTLP_HEADERS: headers = {} } = settings;
  const common = base === undefined ? undefined : `${base}/v1/${signal.toLowerCase()}`;
  const url = settings[`OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`] ?? common;
  return url === undefined || settings[`OTEL_${signal}_EXPORTER`] === 'none' ? undefined : { url, headers };
}
