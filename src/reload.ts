import { settingNames } from './config/index.ts';
import type { ModelsConfig } from './core/models/index.ts';
import type { ToolsConfig } from './core/tools/index.ts';
import type { Logger } from './lib/logger.ts';
import type { Rules, Settings } from './read-settings.ts';
import { describeStartFailure } from './start-failure.ts';

export interface ReloadDeps {
  readonly logger: Logger;
  /** @throws where something is wrong with the settings. */
  readonly read: () => Promise<Settings>;
  /** Puts other models in the place of those that are there. */
  readonly replaceModels: (models: ModelsConfig) => Promise<void>;
  /** The same for tools. */
  readonly replaceTools: (tools: ToolsConfig) => Promise<void>;
  readonly replaceRules: (rules: Rules) => void;
  /** Hears of the new settings before they count, so that no secret of theirs gets into the log. */
  readonly onRead: (settings: Settings) => void;
}

/** Settings that count as soon as they are read again; keys of presets do, too. */
const RELOADABLE: ReadonlySet<string> = new Set([
  ...['OPENAI_API_KEY', 'OPENAI_BASE_URL', 'OPENAI_MODELS', 'OPENAI_TRANSCRIPTION_MODEL'],
  ...['OLLAMA_HOST', 'SD_WEBUI_URL', 'PROVIDERS_FILE'],
  ...['DEFAULT_MODEL', 'DEFAULT_IMAGE_MODEL', 'LOG_LEVEL', 'ADMIN_IDS', 'ALLOWED_IDS'],
]);

/**
 * What SIGHUP does: reads the settings again and takes over providers, models, tools, prices, plans, admins, the list of a private service,
 * and the log level. What counts only after a restart is named in the log; where something is wrong everything stays as it is. Calls while
 * one is at work come after it.
 */
export function createReload(deps: ReloadDeps, first: Settings): () => Promise<void> {
  const { logger } = deps;
  let current = first;
  let working = Promise.resolve();

  const reload = async () => {
    const next = await deps.read();
    deps.onRead(next);
    const needsRestart = settingNames.filter(
      (name) => !RELOADABLE.has(name) && next.environment[name] !== current.environment[name],
    );
    const hasNewModels = !isSame(next.models, current.models);
    if (hasNewModels) await deps.replaceModels(next.models);
    const hasNewTools = !isSame(next.tools, current.tools);
    if (hasNewTools) await deps.replaceTools(next.tools);
    const rules = toRules(next);
    const hasNewRules = !isSame(rules, toRules(current));
    if (hasNewRules) deps.replaceRules(rules);
    logger.level = next.config.logLevel;
    // What was not taken over is named again the next time.
    current = {
      ...next,
      environment: { ...next.environment, ...pick(current.environment, needsRestart) },
    };
    logger.info(
      { hasNewModels, hasNewTools, hasNewRules, ...(needsRestart.length > 0 ? { needsRestart } : {}) },
      'the settings were read again',
    );
  };

  return () => {
    working = working.then(reload).catch((error: unknown) => {
      const problems = describeStartFailure(error).text.split('\n');
      logger.error({ problems }, 'the new settings are wrong: everything stays as it was');
    });
    return working;
  };
}

function toRules({ config, plans }: Settings): Rules {
  return { plans, adminIds: config.adminIds, allowedIds: config.allowedIds };
}

function isSame(left: unknown, right: unknown): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}

function pick(from: Settings['environment'], names: readonly string[]): Settings['environment'] {
  return Object.fromEntries(names.map((name) => [name, from[name]]));
}
