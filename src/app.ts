import type { AddressInfo } from 'node:net';
import { createBot } from './bot/bot.ts';
import { checkReadiness } from './check-readiness.ts';
import { closeDataContents, closeDataDirectory } from './close-data-directory.ts';
import { type Config, findRisks } from './config/index.ts';
import {
  createAccounts,
  createApiKeys,
  createKeyUses,
  createUsageRecorder,
  createUsageReports,
  ensureUniversalKey,
  type UniversalKey,
  UniversalKeyFileError,
  type UsageRecorder,
} from './core/accounts/index.ts';
import { createAdministration, createServiceReports } from './core/administration/index.ts';
import { createAnnouncements } from './core/announcements/index.ts';
import { createConversations } from './core/conversations/index.ts';
import { createDocumentTexts } from './core/documents/index.ts';
import { createDrawings } from './core/drawings/index.ts';
import { createFeedback } from './core/feedback/index.ts';
import {
  createChatGeneration,
  createImageGeneration,
  createSpokenWords,
  createTemperatureFallback,
  createToolAnswers,
  createTranscription,
} from './core/generation/index.ts';
import { createGroups } from './core/groups/index.ts';
import { createArrivals } from './core/inbox/index.ts';
import { createInteractions } from './core/interactions/index.ts';
import { createLimits, type Plans } from './core/limits/index.ts';
import {
  createDatabaseDiscoveryCache,
  createModels,
  createReplaceableModels,
  type ModelsConfig,
  type ProviderStatus,
} from './core/models/index.ts';
import { createPersonalData } from './core/personal-data/index.ts';
import { createPersonas } from './core/personas/index.ts';
import { createSharedConversations } from './core/shared-conversations/index.ts';
import { countBlobs } from './core/storage/index.ts';
import { createToolbox, type ToolSourceStatus, type ToolsConfig } from './core/tools/index.ts';
import { openPlayground, SIMULATOR_PREFIX } from './create-playground.ts';
import { type Database, openDatabase } from './database/connect.ts';
import { findUnknownDefaults } from './find-unknown-defaults.ts';
import { toOwnUrl } from './http/own-url.ts';
import { createHttpServer } from './http/server.ts';
import type { Clock } from './lib/clock.ts';
import { createDiskSpaceReader, type ReadDiskSpace } from './lib/disk-space.ts';
import type { LogContext } from './lib/log-context.ts';
import type { Logger } from './lib/logger.ts';
import { once } from './lib/once.ts';
import { fetchPublic } from './lib/public-fetch.ts';
import { createWorkQueue } from './lib/work-queue.ts';
import { openStorage } from './open-storage.ts';
import { openTelemetry, type Telemetry } from './open-telemetry.ts';
import type { Rules } from './read-settings.ts';
import { type RunningBot, runBot } from './run-bot.ts';
import { createTelegramClient, type TelegramClient } from './telegram/telegram-client.ts';
import { createWebhook } from './telegram/webhook.ts';
import { observeChatGeneration, observeImageGeneration, observeUsage } from './telemetry/observe-generation.ts';
import { observeStorage } from './telemetry/observe-storage.ts';

export interface AppDeps {
  readonly clock: Clock;
  readonly logger: Logger;
  /** That of the logger. */
  readonly logContext: LogContext;
  /** Called at most once, when the process can't go on (Telegram refuses the token). */
  readonly onFatal: (error: unknown) => void;
}

export interface App {
  /** Where the service listens, `http://127.0.0.1:8080`. */
  readonly url: string;
  readonly universalKey: UniversalKey;
  readonly defaultModel: string | undefined;
  readonly defaultImageModel: string | undefined;
  readonly modelCount: number;
  readonly providers: readonly ProviderStatus[];
  readonly toolNames: readonly string[];
  readonly toolSources: readonly ToolSourceStatus[];
  /** Takes other providers and models; what is under way ends where it began. */
  replaceModels(models: ModelsConfig): Promise<void>;
  /** The same for tools. */
  replaceTools(tools: ToolsConfig): Promise<void>;
  /** From now on these count. What is under way is settled as it began. */
  replaceRules(rules: Rules): void;
  /** Takes no new work, lets answers end, closes everything. 20 s at most. */
  stop(): Promise<void>;
}

const HTTP_CLOSE_MS = 12_000;
/** There the bot, which takes as long, has to end first. */
const PLAYGROUND_HTTP_CLOSE_MS = 2000;

/** Builds everything, in the order of dependence, and starts it. What was opened before a failure is closed again. */
export async function startApp(
  config: Config,
  { models, plans, tools }: { readonly models: ModelsConfig; readonly plans: Plans; readonly tools: ToolsConfig },
  deps: AppDeps,
): Promise<App> {
  const { clock, logger, logContext } = deps;
  const closers: (() => Promise<void>)[] = [];
  const stopping = new AbortController();
  const stopAll = once(async () => {
    stopping.abort(new Error('the process is ending'));
    for (const close of closers.reverse())
      await close().catch((error: unknown) => logger.error({ err: error }, 'something did not close'));
  });
  try {
    for (const risk of findRisks(config)) logger.warn(risk);
    await closeDataDirectory({ logger }, config.dataDirectory);
    const telemetry = await openTelemetry(config.operations, {
      clock,
      isListedModel: (name) => catalogue.list().some(({ id }) => id === name),
    });
    closers.push(() => telemetry.close());
    const { observer } = telemetry;
    const readSpace = createDiskSpaceReader(config.dataDirectory);
    // Nothing can be written any more, and what is under way hangs on it.
    const database = await openDatabase(config.database, deps.onFatal);
    closers.push(() => database.close());
    const { db, urgentDb } = database;
    closers.push(closeDataContents({ logger }, config.dataDirectory));
    const universalKey = await openUniversalKey(db, config, logger);
    const batchRows = config.database.kind === 'postgres' ? 500 : undefined;
    const recorder = createUsageRecorder({ db, clock, logger, observer }, { batchRows });
    const usage = observeUsage(recorder, { observer, clock });
    closers.push(() => usage.close());

    const buildModels = (modelsConfig: ModelsConfig) =>
      createModels({ clock, logger, observer, discoveryCache: createDatabaseDiscoveryCache({ db }) }, modelsConfig);
    const { catalogue, router, transcription, speech, ...providers } = createReplaceableModels(
      { clock, logger },
      buildModels(models),
    );
    closers.push(() => providers.close());
    const toolbox = createToolbox({ clock, logger }, tools);
    closers.push(() => toolbox.close());
    await Promise.all([providers.start(stopping.signal), toolbox.start()]);
    for (const problem of findUnknownDefaults(models, catalogue)) logger.warn(problem);

    const playground =
      config.telegram.mode === 'playground'
        ? await openPlayground({ clock, logger }, config.telegram.directory)
        : undefined;
    // In the playground "You" is an admin unless ADMIN_IDS names others.
    const toRules = (next: Rules): Rules =>
      playground && next.adminIds.length === 0 ? { ...next, adminIds: [playground.ownerId] } : next;
    let rules = toRules({ plans, adminIds: config.adminIds, allowedIds: config.allowedIds });
    const administration = createAdministration({
      db,
      clock,
      get adminIds() {
        return rules.adminIds;
      },
      get allowedIds() {
        return rules.allowedIds;
      },
    });
    const isAdmitted = async (telegramId: number) => (await administration.admit(telegramId)) === 'welcome';
    const accounts = createAccounts({
      db,
      clock,
      isAdmitted,
      get adminIds() {
        return rules.adminIds;
      },
    });
    const feedback = createFeedback({ db, clock, recorder: usage });
    const keyUses = createKeyUses({ db, clock, logger });
    closers.push(() => keyUses.close());
    const limits = createLimits({
      db,
      clock,
      logger,
      findPlan: accounts.findPlan,
      get plans() {
        return rules.plans;
      },
    });
    closers.push(() => limits.close());
    const findPrice = (provider: string, model: string) => catalogue.find(`${provider}/${model}`)?.price;
    const books = { usage, limits, findPrice, clock };
    const generation = observeChatGeneration(createChatGeneration({ chat: router.chat, ...books }), telemetry);

    const images = observeImageGeneration(
      createImageGeneration({ image: router.image, ...books }, { perPerson: config.imagesAtOnce }),
      telemetry,
    );

    const {
      storage: bareStorage,
      storeKind,
      close: closeStorage,
    } = await openStorage(config, { db, clock, logger, observer, readSpace });
    closers.push(closeStorage);
    const storage = observeStorage(bareStorage, observer);

    const sharedConversations = createSharedConversations({ storage });

    const personalData = createPersonalData(
      { db, clock, logger, storage, recorder: usage },
      { retentionDays: config.retentionDays },
    );
    closers.push(() => personalData.close());
    personalData.start();

    const documents = createDocumentTexts();
    const downloads = createWorkQueue(PAGE_DOWNLOADS);
    closers.push(() => documents.close());

    const token = config.telegram.mode === 'bot' ? config.telegram.token : (playground?.token ?? '');
    const webhook = config.telegram.mode === 'bot' ? config.telegram.webhook : undefined;
    const receiver = webhook && createWebhook({ logger }, webhook);
    let isListening = false;
    let findIntakeFailure = async (): Promise<unknown> => undefined;
    const server = createHttpServer({
      accounts,
      keyUses,
      isPrivate: () => administration.isPrivate,
      generation,
      images,
      catalogue,
      feedback,
      storage,
      sharedConversations,
      cloudUrl: config.http.cloudUrl,
      hasBareFileNames: config.http.hasBareFileNames,
      clock,
      logger,
      observer,
      logContext,
      metrics: telemetry.metrics,
      corsOrigins: config.http.corsOrigins,
      trustedProxies: config.http.trustedProxies,
      plugins: [
        ...(playground?.plugins ?? []),
        ...(receiver ? [{ prefix: '/telegram', plugin: receiver.plugin }] : []),
      ],
      limits: { closeTimeoutMs: playground ? PLAYGROUND_HTTP_CLOSE_MS : HTTP_CLOSE_MS },
      isReady: () => checkReadiness({ ping: () => database.ping(), findIntakeFailure, isListening: () => isListening }),
    });
    const closeServer = once(async () => server.close());
    closers.push(closeServer);
    // Before the server: open polls and event streams would hold it.
    if (playground) closers.push(() => playground.close());
    await server.listen({ host: config.http.host, port: config.http.port });
    const url = toOwnUrl(server.server.address() as AddressInfo);

    const client = createTelegramClient({
      clock,
      logger,
      observer,
      token,
      apiRoot: config.telegram.mode === 'bot' ? config.telegram.apiRoot : `${url}${SIMULATOR_PREFIX}`,
    });
    const botId = Number(token.split(':', 1)[0]);
    const bot = createBot({
      client,
      accounts,
      apiKeys: createApiKeys({ db, clock }),
      keyUses,
      usageReports: createUsageReports({ db, clock, recorder: usage }),
      limits,
      administration,
      announcements: createAnnouncements({ db, clock }),
      serviceReports: createServiceReports({ db, clock, recorder: usage }),
      personalData,
      feedback,
      conversations: createConversations({ db }),
      arrivals: createArrivals({ db, botId }),
      personas: createPersonas({ db }),
      groups: createGroups({ db, clock, logger }),
      interactions: createInteractions({ db, clock }),
      generation,
      toolAnswers: createToolAnswers({ generation: createTemperatureFallback(generation), clock, logger, findPrice }),
      toolbox,
      images,
      drawings: createDrawings({ db, clock }),
      catalogue,
      storage,
      sharedConversations,
      asksForTitles: config.asksForTitles,
      documents,
      openPage: (url, signal, personId) =>
        downloads.run(personId, signal, () => fetchPublic({ clock }, url, { ...PAGE_BOUNDS, signal })),
      transcription: createTranscription({ transcription, ...books }),
      speech: createSpokenWords({ speech, ...books }),
      apiUrl: `${config.http.publicUrl ?? url}/ai/openai`,
      cloudUrl: config.http.cloudUrl ?? config.http.publicUrl ?? url,
      isReachable: config.http.cloudUrl !== undefined || config.http.publicUrl !== undefined,
      clock,
      logger,
      observer,
    });
    const running = runBot(
      { db, urgentDb, client, bot, clock, logger, logContext, observer },
      {
        botId,
        database: config.database,
        webhook: webhook && receiver && { ...webhook, receiver },
        onReady: () => {
          isListening = true;
        },
        onFatal: deps.onFatal,
      },
    );
    findIntakeFailure = () => running.findIntakeFailure();
    const stopBot = () => running.stop();
    addGauges(telemetry, { db, usage, client, running, storeKind, readSpace });
    // Both take their time to let answers end. The simulator lives in the server: there the bot goes first.
    closers.push(playground ? stopBot : async () => void (await Promise.all([stopBot(), closeServer()])));

    return {
      url,
      universalKey,
      defaultModel: catalogue.defaultChatModel()?.id,
      defaultImageModel: catalogue.defaultImageModel()?.id,
      modelCount: catalogue.list().length,
      providers: providers.providers(),
      toolNames: toolbox.listNames(),
      toolSources: toolbox.sources(),
      replaceModels: (next) => providers.replace(buildModels(next), stopping.signal),
      replaceTools: (next) => toolbox.replace(next),
      replaceRules(next) {
        rules = toRules(next);
      },
      stop: stopAll,
    };
  } catch (error) {
    await stopAll();
    throw error;
  }
}

/** Starts without a universal key where its file can't be written: all other keys work. */
async function openUniversalKey(db: Database, config: Config, logger: Logger): Promise<UniversalKey> {
  try {
    return await ensureUniversalKey(db, config.universalApiKey, config.universalKeyPath);
  } catch (error) {
    if (!(error instanceof UniversalKeyFileError)) throw error;
    logger.warn(
      { reason: error.message },
      'there is no universal API key: set UNIVERSAL_API_KEY, or DATA_DIR to a folder that this user may write to',
    );
    return { kind: 'unkept' };
  }
}

/** Numbers that somebody has to be asked for. */
function addGauges(
  telemetry: Telemetry,
  from: {
    readonly db: Database;
    readonly usage: UsageRecorder;
    readonly client: TelegramClient;
    readonly running: RunningBot;
    readonly storeKind: string;
    readonly readSpace: ReadDiskSpace;
  },
): void {
  telemetry.addGauge({
    name: 'switchboard_usage_rows_waiting',
    help: 'Rows of usage that are not in the database yet.',
    read: () => from.usage.waitingCount(),
  });
  telemetry.addGauge({
    name: 'switchboard_telegram_calls_waiting',
    help: "Calls of the bot that wait for their turn, to stay below Telegram's limits.",
    read: () => from.client.load.waiting,
  });
  telemetry.addGauge({
    name: 'switchboard_updates_waiting',
    help: 'Updates of Telegram that were kept and are not handled, in all processes together.',
    read: () => from.running.countWaitingUpdates(),
  });
  telemetry.addGauge({
    name: 'switchboard_disk_free_bytes',
    help: 'Free space of the disk of DATA_DIR; NaN where that does not exist.',
    read: () => from.readSpace()?.freeBytes ?? Number.NaN,
  });
  telemetry.addGauge({
    name: 'switchboard_storage_blobs',
    help: 'Pieces of files by their state in the journal: intended, stored, unknown (the answer of the store was lost).',
    label: 'state',
    maxAgeMs: BLOB_COUNT_AGE_MS,
    read: () => countBlobs(from.db, from.storeKind),
  });
}

/** Of a page of the web that somebody wants read. */
const PAGE_BOUNDS = {
  maxBytes: 10 * 1024 * 1024,
  timeoutMs: 20_000,
  accept: 'text/html,application/pdf;q=0.9,text/plain;q=0.9,*/*;q=0.5',
};
/** Each page takes memory. */
const PAGE_DOWNLOADS = { perPerson: 2, total: 16, maxWaiting: 20, maxWaitingInAll: 200 };

/** All rows have to be looked at. */
const BLOB_COUNT_AGE_MS = 60_000;
