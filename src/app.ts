import { addGauges } from './add-gauges.ts';
import { checkReadiness } from './check-readiness.ts';
import type { Config } from './config/index.ts';
import type { ModelsConfig } from './core/models/index.ts';
import type { ToolsConfig } from './core/tools/index.ts';
import { createProviders } from './create-providers.ts';
import { createServices } from './create-services.ts';
import type { Clock } from './lib/clock.ts';
import { createClosers } from './lib/closers.ts';
import type { LogContext } from './lib/log-context.ts';
import type { Logger } from './lib/logger.ts';
import { openBlobStore, toStorageOptions } from './open-blob-store.ts';
import { openResources } from './open-resources.ts';
import { openTelegram, type TelegramAccess } from './open-telegram.ts';
import type { Rules, Settings } from './read-settings.ts';
import { type StartedBot, startBot } from './start-bot.ts';
import { startHttp } from './start-http.ts';
import type { StartedService } from './start-report.ts';

export interface AppDeps {
  readonly clock: Clock;
  readonly logger: Logger;
  /** That of the logger. */
  readonly logContext: LogContext;
  /** Called at most once, when the process can't go on (Telegram refuses the token). */
  readonly onFatal: (error: unknown) => void;
}

export interface App extends StartedService {
  /** Takes other providers and models; what is under way ends where it began. */
  replaceModels(models: ModelsConfig): Promise<void>;
  /** The same for tools. */
  replaceTools(tools: ToolsConfig): Promise<void>;
  /** From now on these count. What is under way is settled as it began. */
  replaceRules(rules: Rules): void;
  /** Takes no new work, lets answers end, closes everything. 20 s at most. */
  stop(): Promise<void>;
}

/** Builds everything, in the order of dependence, and starts it. What was opened before a failure is closed again. */
export async function startApp(
  config: Config,
  settings: Pick<Settings, 'models' | 'plans' | 'tools'>,
  deps: AppDeps,
): Promise<App> {
  const { logger } = deps;
  const closers = createClosers((error) => logger.error({ err: error }, 'something did not close'));
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
    const rules = toRules({ ...config, plans: settings.plans }, telegram);
    const blobs = await openBlobStore(config, resources);
    const services = createServices(
      { ...resources, models, blobs, rules },
      { ...config, storage: toStorageOptions(config.storage) },
    );
    services.storage.start();
    services.personalData.start();

    let bot: StartedBot | undefined;
    const isReady = () => checkReadiness(resources, bot);
    const parts = { ...deps, resources, services, toolbox, telegram };
    const http = await startHttp({ ...parts, isReady }, config.http);
    const started = startBot(parts, config, http.url);
    bot = started;
    addGauges(resources, started, blobs.store.kind);
    // Both take their time to let answers end. The simulator lives in the server: there the bot goes first.
    closers.add(telegram.playground ? started.stop : () => Promise.all([started.stop(), http.close()]));

    return {
      url: http.url,
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

/** In the playground "You" is an admin unless the settings name others. */
function toRules({ plans, adminIds, allowedIds }: Rules, { playground }: TelegramAccess): Rules {
  return { plans, adminIds: playground && adminIds.length === 0 ? [playground.ownerId] : adminIds, allowedIds };
}
