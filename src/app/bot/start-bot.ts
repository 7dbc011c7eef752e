import { createBot } from '../../bot/bot.ts';
import type { Config } from '../../config/index.ts';
import { createArrivals } from '../../core/inbox/index.ts';
import type { SettingsEditor } from '../../core/stored-settings/index.ts';
import type { Toolbox } from '../../core/tools/index.ts';
import { WorkQueue } from '../../lib/async/work-queue.ts';
import { fetchPublic } from '../../lib/http/public-fetch.ts';
import type { LogContext } from '../../lib/log/log-context.ts';
import { toStartLink } from '../../lib/start-link.ts';
import { createTelegramClient } from '../../telegram/telegram-client.ts';
import type { Resources } from '../open-resources.ts';
import type { Services } from '../services.ts';
import { PLAYGROUND_TELEGRAM, type TelegramAccess } from './open-telegram.ts';
import { runBot } from './run-bot.ts';

/** Limits of downloading a web page given by a user. */
const PAGE_BOUNDS = {
  maxBytes: 10 * 1024 * 1024,
  timeoutMs: 20_000,
  accept: 'text/html,application/pdf;q=0.9,text/plain;q=0.9,*/*;q=0.5',
};
/** Limits of concurrent page downloads, because each takes memory. */
const PAGE_DOWNLOADS = { perOwner: 2, total: 16, maxWaitingPerOwner: 20, maxWaiting: 200 };

export interface StartBotDeps {
  readonly resources: Resources;
  readonly services: Services;
  readonly toolbox: Toolbox;
  readonly telegram: TelegramAccess;
  readonly logContext: LogContext;
  readonly settingsEditor: SettingsEditor;
  /** Called at most once, when the bot can't continue. */
  readonly onFatal: (error: unknown) => void;
}

export type StartedBot = ReturnType<typeof startBot>;

/** Starts the bot. @param url the service's own URL. */
export function startBot(deps: StartBotDeps, config: Config, url: string) {
  const { resources, services, toolbox, telegram, logContext, settingsEditor, onFatal } = deps;
  const { db, clock, logger, observer } = resources;
  const { token, botId, webhook, playground } = telegram;
  const client = createTelegramClient(
    { clock, logger, observer, token, apiRoot: telegram.toApiRoot(url) },
    { beforeCall: () => services.chatLeases.check() },
  );
  const { publicUrl, cloudUrl } = config.http;
  const downloads = new WorkQueue<number>(PAGE_DOWNLOADS);
  const bot = createBot({
    ...services,
    toolbox,
    settingsEditor,
    client,
    clock,
    logger,
    observer,
    arrivals: createArrivals({ db, botId }),
    openPage: (address, signal, userId) =>
      downloads.run(() => fetchPublic({ clock }, address, { ...PAGE_BOUNDS, signal }), { owner: userId, signal }),
    asksForTitles: config.asksForTitles,
    apiUrl: `${publicUrl ?? url}/ai/openai`,
    consoleUrl: `${publicUrl ?? url}/console/`,
    cloudUrl: cloudUrl ?? publicUrl ?? url,
    telegramUrl: playground && `${url}${PLAYGROUND_TELEGRAM}`,
    isReachable: cloudUrl !== undefined || publicUrl !== undefined,
  });
  playground?.onBotChange(() => bot.forgetSettings());
  /** True once Telegram has accepted the token and updates are received. */
  let isListening = false;
  const ready = Promise.withResolvers<void>();
  const onReady = () => {
    isListening = true;
    ready.resolve();
  };
  const running = runBot(
    { ...resources, ...services, client, bot, logContext },
    { botId, database: config.database, webhook, onReady, onFatal },
  );
  return {
    ...running,
    client,
    whenReady: ready.promise,
    /**
     * Waits until Telegram has accepted the token, and returns a link by which a user becomes the first admin; undefined
     * if the bot has admins or is private.
     */
    async createAdminLink(): Promise<string | undefined> {
      await ready.promise;
      const { adminIds, isPrivate } = services.administration;
      if (playground || isPrivate || adminIds.length > 0 || (await settingsEditor.findObstacle())) return undefined;
      const [me, code] = await Promise.all([client.api.getMe(), services.firstAdminCodes.create()]);
      return toStartLink({}, me, 'admin', code);
    },
    isListening: () => isListening,
    /** Returns the username of the bot; undefined until Telegram has accepted the token. */
    async findUsername(): Promise<string | undefined> {
      return isListening ? bot.findUsername() : undefined;
    },
    countBusyChats: () => bot.listBusyChats().size,
    countJobs: () => bot.countJobs(),
  };
}
