import { randomInt } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { createBot } from './bot/bot.ts';
import type { Config } from './config/index.ts';
import { createAccounts, createUsageRecorder, ensureUniversalKey } from './core/accounts/index.ts';
import { createConversations } from './core/conversations/index.ts';
import { createDrawings } from './core/drawings/index.ts';
import { createChatGeneration, createImageGeneration } from './core/generation/index.ts';
import { createInteractions } from './core/interactions/index.ts';
import {
  createDatabaseDiscoveryCache,
  createModels,
  type ModelsConfig,
  type ProviderStatus,
} from './core/models/index.ts';
import { openDatabase } from './database/connect.ts';
import { toOwnUrl } from './http/own-url.ts';
import { createHttpServer, type HttpPlugin } from './http/server.ts';
import type { Clock } from './lib/clock.ts';
import { createId } from './lib/ids.ts';
import type { Logger } from './lib/logger.ts';
import { once } from './lib/once.ts';
import { openStorage } from './open-storage.ts';
import { runBot } from './run-bot.ts';
import { createSimulator, type Simulator } from './simulator/create-simulator.ts';
import { createTelegramClient } from './telegram/telegram-client.ts';
import { createWebhook } from './telegram/webhook.ts';

export interface AppDeps {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Called at most once, when the process can't go on (Telegram refuses the token). */
  readonly onFatal: (error: unknown) => void;
}

export interface App {
  /** Where the service listens, `http://127.0.0.1:8080`. */
  readonly url: string;
  /** The universal API key, where this start made it: the only time anybody can see it. */
  readonly newUniversalKey: string | undefined;
  readonly defaultModel: string | undefined;
  readonly defaultImageModel: string | undefined;
  readonly modelCount: number;
  readonly providers: readonly ProviderStatus[];
  /** Takes no new work, lets answers end, closes everything. 20 s at most. */
  stop(): Promise<void>;
}

const HTTP_CLOSE_MS = 12_000;
/** There the bot, which takes as long, has to end first. */
const PLAYGROUND_HTTP_CLOSE_MS = 2000;

/** Builds everything, in the order of dependence, and starts it. What was opened before a failure is closed again. */
export async function startApp(config: Config, models: ModelsConfig, deps: AppDeps): Promise<App> {
  const { clock, logger } = deps;
  const closers: (() => Promise<void>)[] = [];
  const stopAll = once(async () => {
    for (const close of closers.reverse())
      await close().catch((error: unknown) => logger.error({ err: error }, 'something did not close'));
  });
  try {
    const database = await openDatabase(config.database);
    closers.push(() => database.close());
    const { db } = database;
    const newUniversalKey = await ensureUniversalKey(db, config.universalApiKey);
    const usage = createUsageRecorder({ db, clock, logger });
    closers.push(() => usage.close());

    const { catalogue, router, ...providers } = createModels(
      { clock, logger, discoveryCache: createDatabaseDiscoveryCache({ db }) },
      models,
    );
    closers.push(() => providers.close());
    await providers.start(new AbortController().signal);

    const accounts = createAccounts({ db, clock, adminIds: config.adminIds });
    const generation = createChatGeneration({ chat: router.chat, usage, clock });

    const images = createImageGeneration({ image: router.image, usage, clock }, { perPerson: config.imagesAtOnce });

    const { storage, close: closeStorage } = await openStorage(config, { db, clock, logger });
    closers.push(closeStorage);

    const playground = config.telegram.mode === 'playground' ? createPlayground() : undefined;
    const token = config.telegram.mode === 'bot' ? config.telegram.token : (playground?.token ?? '');
    const webhook = config.telegram.mode === 'bot' ? config.telegram.webhook : undefined;
    const receiver = webhook && createWebhook({ logger }, webhook);
    const readiness = { database: true, bot: false };
    const server = createHttpServer({
      accounts,
      generation,
      images,
      catalogue,
      storage,
      cloudUrl: config.http.cloudUrl,
      hasBareFileNames: config.http.hasBareFileNames,
      clock,
      logger,
      plugins: [
        ...(playground?.plugins ?? []),
        ...(receiver ? [{ prefix: '/telegram', plugin: receiver.plugin }] : []),
      ],
      limits: { closeTimeoutMs: playground ? PLAYGROUND_HTTP_CLOSE_MS : HTTP_CLOSE_MS },
      isReady: async () => {
        readiness.database = await database.ping().then(
          () => true,
          () => false,
        );
        return { isReady: readiness.database && readiness.bot, checks: readiness };
      },
    });
    const closeServer = once(async () => server.close());
    closers.push(closeServer);
    // Before the server: open polls and event streams would hold it.
    if (playground) closers.push(async () => playground.simulator.close());
    await server.listen({ host: config.http.host, port: config.http.port });
    const url = toOwnUrl(server.server.address() as AddressInfo);

    const client = createTelegramClient({
      clock,
      logger,
      token,
      apiRoot: config.telegram.mode === 'bot' ? config.telegram.apiRoot : `${url}${SIMULATOR_PREFIX}`,
    });
    const bot = createBot({
      client,
      accounts,
      conversations: createConversations({ db }),
      interactions: createInteractions({ db, clock }),
      generation,
      images,
      drawings: createDrawings({ db, clock }),
      catalogue,
      storage,
      cloudUrl: config.http.cloudUrl ?? config.http.publicUrl ?? url,
      clock,
      logger,
    });
    const stopBot = runBot(
      { db, client, bot, clock, logger },
      {
        botId: Number(token.split(':', 1)[0]),
        database: config.database,
        webhook: webhook && receiver && { ...webhook, receiver },
        onReady: () => {
          readiness.bot = true;
        },
        onFatal: deps.onFatal,
      },
    );
    // Both take their time to let answers end. The simulator lives in the server: there the bot goes first.
    closers.push(playground ? stopBot : async () => void (await Promise.all([stopBot(), closeServer()])));

    return {
      url,
      newUniversalKey,
      defaultModel: catalogue.defaultChatModel()?.id,
      defaultImageModel: catalogue.defaultImageModel()?.id,
      modelCount: catalogue.list().length,
      providers: providers.providers(),
      stop: stopAll,
    };
  } catch (error) {
    await stopAll();
    throw error;
  }
}

const SIMULATOR_PREFIX = '/simulator';

/** A simulated Telegram with somebody in it: a private chat with the bot, and a group of friends that it is in. */
function createPlayground(): { simulator: Simulator; token: string; plugins: HttpPlugin[] } {
  const token = `${randomInt(100_000_000, 999_999_999)}:${createId('')}${createId('')}`;
  const simulator = createSimulator({
    bots: [{ token, username: 'switchboard_bot', firstName: 'Switchboard' }],
    limits: 'telegram',
    // Everybody is new at each start, as the chats are: nobody finds settings and conversations of people who are gone.
    firstNumber: randomInt(1_000_000_000),
  });
  const you = simulator.control.createPerson({ firstName: 'You', languageCode: 'en' });
  const friend = simulator.control.createPerson({ firstName: 'Nina', languageCode: 'en' });
  simulator.control.createChat({ type: 'supergroup', title: 'Weekend trip', memberIds: [you.id, friend.id] });
  simulator.control.createChat({ type: 'private', memberIds: [you.id] });
  const plugins = [
    { prefix: SIMULATOR_PREFIX, plugin: simulator.botApi, logLevel: 'warn' as const },
    { prefix: '/playground', plugin: simulator.playground, logLevel: 'warn' as const },
  ];
  return { simulator, token, plugins };
}
