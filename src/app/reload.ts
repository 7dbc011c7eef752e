import { describeStartFailure } from '../cli/start-failure.ts';
import { settingNames } from '../config/index.ts';
import type { ModelsConfig } from '../core/models/index.ts';
import type { ToolsConfig } from '../core/tools/index.ts';
import type { Logger } from '../lib/log/logger.ts';
import type { Rules, Settings } from './read-settings.ts';

export interface ReloadDeps {
  readonly logger: Logger;
  /** Replaces the models. */
  readonly replaceModels: (models: ModelsConfig) => Promise<void>;
  /** Replaces the tools. */
  readonly replaceTools: (tools: ToolsConfig) => Promise<void>;
  readonly replaceRules: (rules: Rules) => void;
  /** Called with the new settings before they take effect, so that their secrets are redacted from the log. */
  readonly onRead: (settings: Settings) => void;
}

/** Settings that can be reloaded, in addition to the keys of presets. */
const RELOADABLE: ReadonlySet<string> = new Set([
  ...['OPENAI_API_KEY', 'OPENAI_BASE_URL', 'OPENAI_MODELS', 'OPENAI_TRANSCRIPTION_MODEL'],
  ...['AWS_REGION', 'AWS_BEARER_TOKEN_BEDROCK', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN'],
  ...['AZURE_OPENAI_ENDPOINT', 'AZURE_RESOURCE_NAME', 'OLLAMA_HOST', 'SD_WEBUI_URL', 'PROVIDERS_FILE'],
  ...['BRAVE_API_KEY', 'TAVILY_API_KEY', 'SEARXNG_URL'],
  ...['DEFAULT_MODEL', 'DEFAULT_IMAGE_MODEL', 'LOG_LEVEL', 'ADMIN_IDS', 'ALLOWED_IDS', 'STORE_NAMES', 'UPLOADS'],
]);

/** Applies settings that are being read. @returns undefined if they are invalid: then nothing has changed. */
export type Reload = (reading: Promise<Settings>) => Promise<Settings | undefined>;

/**
 * Creates the reload function, which applies providers, models, tools, prices, plans, the budget, admins, the allow list,
 * and the log level. Changes that require a restart are logged. Call it again only after it has ended.
 */
export function createReload(deps: ReloadDeps, first: Settings): Reload {
  const { logger } = deps;
  let current = first;

  const reload = async (reading: Promise<Settings>): Promise<Settings> => {
    const next = await reading;
    deps.onRead(next);
    for (const warning of next.warnings) logger.warn(warning);
    const needsRestart = listNeedsRestart(current, next);
    const hasNewModels = !isSame(next.models, current.models);
    if (hasNewModels) await deps.replaceModels(next.models);
    const hasNewTools = !isSame(next.tools, current.tools);
    if (hasNewTools) await deps.replaceTools(next.tools);
    const rules = toRules(next);
    const hasNewRules = !isSame(rules, toRules(current));
    if (hasNewRules) deps.replaceRules(rules);
    logger.level = next.config.logLevel;
    // Changes that require a restart are reported again next time.
    current = {
      ...next,
      environment: { ...next.environment, ...pick(current.environment, needsRestart) },
    };
    logger.info(
      { hasNewModels, hasNewTools, hasNewRules, ...(needsRestart.length > 0 ? { needsRestart } : {}) },
      'settings reloaded',
    );
    return next;
  };

  return (reading) =>
    reload(reading).catch((error: unknown) => {
      const problems = describeStartFailure(error).text.split('\n');
      logger.error({ problems }, 'the new settings are invalid; keeping the previous ones');
      return undefined;
    });
}

/** Returns the names of changed variables that are in force after a restart only. */
export function listNeedsRestart(
  current: Pick<Settings, 'environment'>,
  next: Pick<Settings, 'environment'>,
): readonly string[] {
  return settingNames.filter((name) => !RELOADABLE.has(name) && next.environment[name] !== current.environment[name]);
}

function toRules({ config, plans, budget }: Settings): Rules {
  const { adminIds, allowedIds, storesNames, uploads } = config;
  return { plans, budget, adminIds, allowedIds, storesNames, uploads };
}

function isSame(left: unknown, right: unknown): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}

function pick(from: Settings['environment'], names: readonly string[]): Settings['environment'] {
  return Object.fromEntries(names.map((name) => [name, from[name]]));
}
