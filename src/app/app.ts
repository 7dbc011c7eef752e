import type { StartedService } from '../cli/start-report.ts';
import type { Config } from '../config/index.ts';
import type { Catalogue, ModelsConfig } from '../core/models/index.ts';
import type { SettingsEditor } from '../core/stored-settings/index.ts';
import type { ToolsConfig } from '../core/tools/index.ts';
import type { DatabaseConnection } from '../database/connect.ts';
import { createClosers } from '../lib/async/closers.ts';
import type { Clock } from '../lib/clock.ts';
import type { LogContext } from '../lib/log/log-context.ts';
import type { Logger } from '../lib/log/logger.ts';
import type { RecentLog } from '../lib/log/recent-log.ts';
import { addGauges } from './add-gauges.ts';
import { openTelegram, type TelegramAccess } from './bot/open-telegram.ts';
import { type StartedBot, startBot } from './bot/start-bot.ts';
import { createProviders } from './create-providers.ts';
import { checkReadiness } from './http/check-readiness.ts';
import { readServiceState } from './http/read-service-state.ts';
import { startHttp } from './http/start-http.ts';
import { openBlobStore, toStorageOptions } from './open-blob-store.ts';
import type { Exporters } from './open-exporters.ts';
import { openResources } from './open-resources.ts';
import type { Rules, Settings } from './read-settings.ts';
import { readVersion } from './read-version.ts';
import { createServices } from './services.ts';

export interface AppDeps {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Context of the logger. */
  readonly logContext: LogContext;
  /** Exporters of telemetry. The caller closes them, after the last line of the log. */
  readonly exporters: Exporters;
  /** Warnings and errors of the logger, for admins. */
  readonly recentLog?: Pick<RecentLog, 'list'>;
  /** Not closed here. */
  readonly database: DatabaseConnection;
  /** Settings that admins change in the console. */
  readonly settingsEditor: SettingsEditor;
  /** Whether files are moved to where new ones go. */
  readonly movesFiles: boolean;
  /** Called at most once, when the process can't continue (such as when Telegram rejects the token). */
  readonly onFatal: (error: unknown) => void;
}

export interface App extends StartedService {
  readonly catalogue: Catalogue;
  isAdmin(telegramId: number): boolean;
  /** Resolves when Telegram has accepted the token. */
  readonly whenReady: Promise<void>;
  /** Like that of the bot. */
  readonly createAdminLink: StartedBot['createAdminLink'];
  /** Replaces providers and models. Requests in flight complete with the old ones. */
  replaceModels(models: ModelsConfig): Promise<void>;
  /** Replaces the tools in the same way. */
  replaceTools(tools: ToolsConfig): Promise<void>;
  /** Replaces the rules for new requests. Reservations are settled by the old ones. */
  replaceRules(rules: Rules): void;
  /** Stops accepting work, waits for answers in progress and closes everything. Takes 20 s at most. */
  stop(): Promise<void>;
}

/** Builds and starts all components in dependency order. On failure, closes those already opened. */
export async function startApp(
  config: Config,
  settings: Pick<Settings, 'models' | 'plans' | 'budget' | 'tools'>,
  deps: AppDeps,
): Promise<App> {
  const { logger } = deps;
  const closers = createClosers((error) => logger.error({ err: error }, 'a resource failed to close'));
  const stopping = new AbortController();
  const stop = () => {
    stopping.abort(new Error('the process is ending'));
    return closers.closeAll();
  };
  try {
    const isListedModel = (name: string) => catalogue.list().some(({ id }) => id === name);
    const resources = await openResources(config, { ...deps, closers, isListedModel });
    const { models, toolbox, ...providers } = createProviders(resources, settings);
    const { catalogue } = models;
    await providers.start(stopping.signal);
    const telegram = await openTelegram(resources, config.telegram);
    const rules = toRules({ ...config, plans: settings.plans, budget: settings.budget }, telegram);
    const blobs = await openBlobStore(config, resources);
    const services = createServices(
      { ...resources, models, blobs, rules },
      { ...config, storage: { ...toStorageOptions(config.storage), movesFiles: deps.movesFiles } },
    );
    services.storage.start();
    services.personalData.start();
    services.library.start();

    let bot: StartedBot | undefined;
    const version = await readVersion();
    const isReady = async () => ({ version, ...(await checkReadiness(resources, bot, blobs.store)) });
    const readState = () => readServiceState(resources, config.database, bot);
    const parts = { ...deps, resources, services, toolbox, telegram };
    const findBotUsername = async () => bot?.findUsername();
    const http = await startHttp({ ...parts, isReady, readState, findBotUsername }, config.http);
    const started = startBot(parts, config, http.url);
    bot = started;
    addGauges(resources, services, started, blobs.store.kind);
    // All wait for answers in progress. The simulator is part of the HTTP server: there the bot stops first.
    const stopHttp = () => (telegram.playground ? undefined : http.close());
    closers.add(() => Promise.all([started.stop(), services.durableJobs.close(), stopHttp()]));

    return {
      catalogue,
      isAdmin: (telegramId) => rules.adminIds.includes(telegramId),
      whenReady: started.whenReady,
      createAdminLink: started.createAdminLink,
      version,
      url: http.url,
      linkSecret: telegram.playground?.linkSecret,
      universalKey: resources.universalKey,
      defaultModel: catalogue.defaultChatModel()?.id,
      defaultImageModel: catalogue.defaultImageModel()?.id,
      modelCount: catalogue.list().length,
      providers: models.providers(),
      toolNames: toolbox.listNames(),
      toolSources: toolbox.sources(),
      replaceModels: (next) => providers.replaceModels(next, stopping.signal),
      replaceTools: (next) => toolbox.replace(next),
      replaceRules: (next) => void Object.assign(rules, toRules(next, telegram)),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Makes "You" an admin in the playground unless the settings name admins. */
function toRules(
  { plans, budget, adminIds, allowedIds, storesNames, uploads }: Rules,
  { playground }: TelegramAccess,
): Rules {
  const admins = playground && adminIds.length === 0 ? [playground.ownerId] : adminIds;
  return { plans, budget, adminIds: admins, allowedIds, storesNames, uploads };
}
