import { randomInt } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { createBot, type SwitchboardBot } from './bot/bot.ts';
import type { Config } from './config/index.ts';
import { createAccounts, createUsageRecorder, ensureUniversalKey } from './core/accounts/index.ts';
import { createConversations } from './core/conversations/index.ts';
import { createDrawings } from './core/drawings/index.ts';
import { createChatGeneration, createImageGeneration } from './core/generation/index.ts';
import { createUpdateLanes } from './core/inbox/index.ts';
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
import { type Clock, sleep } from './lib/clock.ts';
import { createId } from './lib/ids.ts';
import type { Logger } from './lib/logger.ts';
import { once } from './lib/once.ts';
import { openStorage } from './open-storage.ts';
import { createSimulator, type Simulator } from './simulator/create-simulator.ts';
import { pollUpdates, UnauthorizedError } from './telegram/poll-updates.ts';
import { createTelegramClient, type TelegramClient } from './telegram/telegram-client.ts';
import { classifyTelegramError } from './telegram/telegram-errors.ts';

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

const MAX_WAITING_UPDATES_PER_CHAT = 200;
const MAX_CONCURRENT_UPDATES = 64;
const LANES_DRAIN_MS = 3000;
const LAST_PROCESS_ENDS_MS = 25_000;
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
      plugins: playground?.plugins ?? [],
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
      ...(config.telegram.mode === 'bot'
        ? { token: config.telegram.token, apiRoot: config.telegram.apiRoot }
        : { token: playground?.token ?? '', apiRoot: `${url}${SIMULATOR_PREFIX}` }),
    });
    const conversations = createConversations({ db });
    const drawings = createDrawings({ db, clock });
    const cut = { answers: await conversations.listUnfinished(), drawings: await drawings.listUnended() };
    const bot = createBot({
      client,
      accounts,
      conversations,
      interactions: createInteractions({ db, clock }),
      generation,
      images,
      drawings,
      catalogue,
      storage,
      cloudUrl: config.http.cloudUrl ?? config.http.publicUrl ?? url,
      clock,
      logger,
    });
    const stopBot = runBot({ ...deps, client, bot }, async (signal) => {
      readiness.bot = true;
      // An embedded database has one process; on a server the one before may still be ending its answers.
      if (config.database.kind === 'postgres') await sleep(clock, LAST_PROCESS_ENDS_MS, signal).catch(() => {});
      await bot.tellInterrupted(cut, signal);
    });
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

interface RunBotDeps extends AppDeps {
  readonly client: TelegramClient;
  readonly bot: SwitchboardBot;
}

/**
 * Runs the bot in the background, through the times in which Telegram can't be reached. The answer stops it.
 * @param onReady never throws; the signal ends it.
 */
function runBot(deps: RunBotDeps, onReady: (signal: AbortSignal) => Promise<void>): () => Promise<void> {
  const { bot, client, clock, logger } = deps;
  const controller = new AbortController();
  const { signal } = controller;
  const lanes = createUpdateLanes<Parameters<SwitchboardBot['handleUpdate']>[0]>(
    { clock, logger },
    {
      handle: (update) => bot.handleUpdate(update),
      maxPendingPerChat: MAX_WAITING_UPDATES_PER_CHAT,
      maxConcurrent: MAX_CONCURRENT_UPDATES,
    },
  );
  const run = async () => {
    await setUpBot(deps, signal);
    logger.info('the bot listens');
    const polling = pollUpdates(
      { api: client.api, clock, logger },
      {
        allowedUpdates: bot.allowedUpdates,
        signal,
        handle(update) {
          if (!lanes.add(toLane(update), update)) throw new Error('too many updates wait already');
        },
      },
    );
    await Promise.all([polling, onReady(signal)]);
  };
  const running = run().catch((error: unknown) => {
    if (!signal.aborted) deps.onFatal(error);
  });
  return async () => {
    controller.abort();
    await Promise.all([running, lanes.drain(LANES_DRAIN_MS)]);
    await bot.stop();
    client.close();
  };
}

const SET_UP_PAUSE_MS = 5000;

async function setUpBot(deps: RunBotDeps, signal: AbortSignal): Promise<void> {
  for (;;) {
    try {
      return await deps.bot.setUp(signal);
    } catch (error) {
      const failure = classifyTelegramError(error);
      if (failure.kind === 'unauthorized') throw new UnauthorizedError();
      if (signal.aborted) throw error;
      const pauseMs = failure.kind === 'flood' ? failure.retryAfterMs : SET_UP_PAUSE_MS;
      deps.logger.warn({ err: error, pauseMs }, 'Telegram can not be reached; trying again');
      await sleep(deps.clock, pauseMs, signal);
    }
  }
}

/**
 * Updates of one chat are handled in their order; presses of buttons count to the chat they were pressed in, inline queries to
 * the private chat with whoever types them.
 */
function toLane(update: Parameters<SwitchboardBot['handleUpdate']>[0]): number {
  return (
    update.message?.chat.id ??
    update.callback_query?.message?.chat.id ??
    update.callback_query?.from.id ??
    update.inline_query?.from.id ??
    update.my_chat_member?.chat.id ??
    0
  );
}
