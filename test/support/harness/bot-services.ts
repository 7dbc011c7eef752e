import type { Update } from 'grammy/types';
import { createSimulator, listenSimulator } from 'telegram-bot-simulator';
import { readTaskRun, toIncomingRun } from '../../../src/app/bot/incoming-task-run.ts';
import type { Foundation } from '../../../src/app/open-resources.ts';
import { createServices } from '../../../src/app/services.ts';
import { createBot, type SwitchboardBot } from '../../../src/bot/bot.ts';
import type { GivenServices } from '../../../src/bot/kit/services.ts';
import type { TextToSpeech, Transcription } from '../../../src/core/generation/index.ts';
import { createArrivals, createInbox } from '../../../src/core/inbox/index.ts';
import type { InstanceBudget, Plans } from '../../../src/core/limits/index.ts';
import type { ImageModel, ModelEntry } from '../../../src/core/models/index.ts';
import { type BlobStore, createMemoryBlobStore, type StorageOptions } from '../../../src/core/storage/index.ts';
import type { ClaimedRun } from '../../../src/core/tasks/index.ts';
import {
  createToolbox,
  DEFAULT_TOOL_LIMITS,
  type ToolboxDeps,
  type ToolsConfig,
} from '../../../src/core/tools/index.ts';
import type { Database } from '../../../src/database/connect.ts';
import type { Clock } from '../../../src/lib/clock.ts';
import { createTelegramClient, type TelegramClient } from '../../../src/telegram/telegram-client.ts';
import { toIncoming } from '../../../src/telegram/updates/incoming-update.ts';
import { pollUpdates } from '../../../src/telegram/updates/poll-updates.ts';
import { createDirectFetch } from '../hosts/direct-fetch.ts';
import { createScriptedImages } from '../hosts/scripted-images.ts';
import { createModelEntry, createScriptedModels, NO_OTHER_ROUTES, NO_VOICES } from '../hosts/scripted-models.ts';
import { PATIENCE_MS, STEP_MS } from './chats.ts';
import { startToolbox } from './foundation.ts';

export const BOT_ID = 4242;
export const TOKEN = '4242:play-token-that-nobody-may-ever-see-in-a-chat';
/** Base address of file links. There is no server at it. */
export const CLOUD_URL = 'https://files.example.org';
export const API_URL = 'https://ai.example.org/ai/openai';
/** Latency of a call, if the harness has a clock of its own. */
const LATENCY_MS = 60;
/** Name of the bot in transcripts. */
const BOT = 'Bot';

export interface BotHarnessOptions {
  readonly models?: readonly ModelEntry[];
  /** Used instead of the scripted image provider. */
  readonly painter?: ImageModel;
  /** Used instead of the store in memory. */
  readonly blobStore?: BlobStore;
  readonly storageOptions?: StorageOptions;
  /** Folder of a self-hosted Bot API server with local files. */
  readonly localDirectory?: string;
  readonly inlineMode?: boolean;
  /** Whether private chats have topics. */
  readonly privateTopics?: boolean;
  /** Opens web pages. Default none. */
  readonly openPage?: GivenServices['openPage'];
  /** Speech-to-text models. Default none. */
  readonly transcription?: Transcription;
  /** Text-to-speech models. Default none. */
  readonly speech?: TextToSpeech;
  /** Quotas of users. Default: no limits. */
  readonly plans?: Plans;
  /** Budget of the whole instance. Default: none. */
  readonly budget?: InstanceBudget;
  /** Tools of the models. Default: none. */
  readonly tools?: Partial<ToolsConfig>;
  /** Used instead of the network for web pages. */
  readonly download?: ToolboxDeps['download'];
  /** Users with access to the bot, in addition to admins. Default: all users. */
  readonly allowedIds?: readonly number[];
  /** Whether names of Telegram are stored. Default false. */
  readonly storesNames?: boolean;
  /** Days after which messages are deleted. Default: never. */
  readonly retentionDays?: number;
  /** Whether models generate titles of conversations. Default false, so that they get questions only. */
  readonly asksForTitles?: boolean;
  readonly change?: (deps: GivenServices) => GivenServices;
  /** Clock of the harness. The bot and Telegram are then connected in process, with a latency on this clock. */
  readonly clock?: Clock;
  /** Wraps the database of the harness. */
  readonly wrapDatabase?: (db: Database) => Database;
  /** Tells which polled updates reach the bot; a process that has died since has handled the others. Default: all. */
  readonly isForThisProcess?: (update: Update) => boolean;
}

export type TestServices = Awaited<ReturnType<typeof createTestServices>>;

/** Creates the real services on scripted models. */
export async function createTestServices(foundation: Foundation, options: BotHarnessOptions) {
  const { clock, logger, closers } = foundation;
  const models = createScriptedModels(options.models ?? [createModelEntry('basic'), createModelEntry('clever')]);
  const images = createScriptedImages('painter', []);
  const toolbox = createToolbox(
    { clock, logger, download: options.download },
    { builtIn: [], sources: [], limits: DEFAULT_TOOL_LIMITS, ...options.tools },
  );
  closers.add(() => toolbox.close());
  await startToolbox(toolbox);
  /** Mutable. */
  const adminIds: number[] = [];
  const router = { ...NO_OTHER_ROUTES, chat: models.chat, image: options.painter ?? images.provider.image };
  const services = createServices(
    {
      ...foundation,
      models: { ...NO_VOICES, catalogue: models.catalogue, router, providers: () => [], circuits: () => [] },
      blobs: { store: options.blobStore ?? createMemoryBlobStore(), encryptionKey: Buffer.alloc(32, 7) },
      rules: {
        plans: options.plans ?? {},
        budget: options.budget,
        adminIds,
        allowedIds: options.allowedIds ?? [],
        storesNames: options.storesNames,
      },
    },
    { storage: options.storageOptions, retentionDays: options.retentionDays },
  );
  return { services, toolbox, models, images, adminIds };
}

/** Returns what a bot gets to its client of Telegram. */
export function toGivenServices(
  { db, clock, logger }: Pick<Foundation, 'db' | 'clock' | 'logger'>,
  { services, toolbox }: Pick<TestServices, 'services' | 'toolbox'>,
  client: TelegramClient,
): GivenServices {
  return {
    ...services,
    toolbox,
    client,
    clock,
    logger,
    arrivals: createArrivals({ db, botId: BOT_ID }),
    apiUrl: API_URL,
    consoleUrl: 'https://ai.example.org/console/',
    cloudUrl: CLOUD_URL,
    asksForTitles: false,
    openPage: () => Promise.reject(new Error('there is no web')),
  };
}

/** Starts the bot on a simulated Telegram. */
export async function startTestBot(foundation: Foundation, testServices: TestServices, options: BotHarnessOptions) {
  const { db, clock, logger, closers } = foundation;
  const { services } = testServices;
  const { inlineMode = true, privateTopics = false, localDirectory, isForThisProcess = () => true } = options;
  const simulator = createSimulator({
    clock,
    bots: [{ token: TOKEN, username: 'switch_bot', firstName: BOT, inlineMode, privateTopics }],
    limits: 'telegram',
    ...(localDirectory === undefined ? {} : { localDirectory }),
  });
  const server = options.clock ? undefined : await listenSimulator(simulator);
  closers.add(async () => (server ?? simulator).close());
  const client = createTelegramClient(
    { token: TOKEN, apiRoot: server?.url, clock, logger },
    server ? {} : { fetch: createDirectFetch({ simulator, clock, latencyMs: LATENCY_MS }) },
  );
  const given = toGivenServices(foundation, testServices, client);
  const deps: GivenServices = {
    ...given,
    asksForTitles: options.asksForTitles ?? given.asksForTitles,
    openPage: options.openPage ?? given.openPage,
    transcription: options.transcription ?? given.transcription,
    speech: options.speech ?? given.speech,
  };
  const bot = createBot(options.change?.(deps) ?? deps);
  await bot.setUp(AbortSignal.timeout(PATIENCE_MS));
  const feed = await startFeed({ bot, db, client, clock, logger, isForThisProcess });
  const ending = new AbortController();
  const sendingBroadcasts = options.clock ? undefined : bot.sendBroadcasts(ending.signal);
  const runningTasks = options.clock ? undefined : services.taskScheduler.run(feed.acceptRuns, ending.signal);
  closers.add(async () => {
    ending.abort();
    await Promise.all([sendingBroadcasts, runningTasks]);
    await feed.stop();
    await bot.stop();
    await feed.close();
    client.close();
  });
  return { bot, client, simulator, accept: feed.accept };
}

/** Delivers updates to the bot as in production: polled, stored, and handled in order within a chat. */
async function startFeed(
  deps: Pick<Foundation, 'db' | 'clock' | 'logger'> & {
    readonly bot: SwitchboardBot;
    readonly client: TelegramClient;
    readonly isForThisProcess: (update: Update) => boolean;
  },
) {
  const { bot, client, isForThisProcess } = deps;
  const stopping = new AbortController();
  const inbox = createInbox(deps, {
    botId: BOT_ID,
    isOnlyProcess: true,
    handle: (update, { listFollowing }) => {
      const runId = readTaskRun(update);
      if (runId !== undefined) return bot.runTask(runId);
      return bot.handleUpdate(update as Update, async () => (await listFollowing()) as readonly Update[]);
    },
    hasNoEffect: (update) => readTaskRun(update) === undefined && bot.hasNoEffect(update as Update),
    onTakenOver: (chatId, signal) => bot.recover(chatId, signal),
    listBusyChatQueues: () => bot.listBusyChats(),
  });
  await inbox.start();
  const accept = (updates: readonly Update[]) => inbox.accept(updates.map(toIncoming));
  const acceptPolled = async (updates: readonly Update[]) => {
    const own = updates.filter(isForThisProcess);
    return (await accept(own)) === own.length ? updates.length : 0;
  };
  const polling = pollUpdates(
    { ...deps, api: client.api },
    { allowedUpdates: bot.allowedUpdates, signal: stopping.signal, accept: acceptPolled },
  );
  return {
    accept,
    acceptRuns: (runs: readonly ClaimedRun[]) => inbox.accept(runs.map(toIncomingRun)),
    async stop() {
      stopping.abort();
      await polling;
      await inbox.drain(STEP_MS);
    },
    close: () => inbox.close(),
  };
}
