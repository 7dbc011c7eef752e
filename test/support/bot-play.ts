import { isNull } from 'drizzle-orm';
import type { InlineQueryResult, Update } from 'grammy/types';
import { expect, vi } from 'vitest';
import { createBot, type SwitchboardBot } from '../../src/bot/bot.ts';
import type { BotDeps } from '../../src/bot/bot-deps.ts';
import {
  type Accounts,
  type ApiKeys,
  createAccounts,
  createApiKeys,
  createKeyUses,
  createUsageRecorder,
  createUsageReports,
  type UsageRecorder,
} from '../../src/core/accounts/index.ts';
import {
  type Administration,
  createAdministration,
  createServiceReports,
} from '../../src/core/administration/index.ts';
import { type Announcements, createAnnouncements } from '../../src/core/announcements/index.ts';
import { type Conversations, createConversations } from '../../src/core/conversations/index.ts';
import { createDocumentTexts } from '../../src/core/documents/index.ts';
import { createDrawings } from '../../src/core/drawings/index.ts';
import { createFeedback } from '../../src/core/feedback/index.ts';
import {
  createChatGeneration,
  createImageGeneration,
  createTemperatureFallback,
  createToolAnswers,
  type SpokenWords,
  type Transcription,
} from '../../src/core/generation/index.ts';
import { createGroups, type Groups } from '../../src/core/groups/index.ts';
import { createArrivals, createInbox } from '../../src/core/inbox/index.ts';
import { createInteractions, type Interactions } from '../../src/core/interactions/index.ts';
import { createLimits, type Limits, type Plans } from '../../src/core/limits/index.ts';
import type { ChatModel, ImageModel, ModelEntry } from '../../src/core/models/index.ts';
import { createPersonalData, type PersonalData } from '../../src/core/personal-data/index.ts';
import { createPersonas, type Personas } from '../../src/core/personas/index.ts';
import { createSharedConversations, type SharedConversations } from '../../src/core/shared-conversations/index.ts';
import {
  type BlobStore,
  createMemoryBlobStore,
  createStorage,
  type Storage,
  type StorageOptions,
} from '../../src/core/storage/index.ts';
import { createToolbox, DEFAULT_TOOL_LIMITS, type ToolboxDeps, type ToolsConfig } from '../../src/core/tools/index.ts';
import type { Database } from '../../src/database/connect.ts';
import { updates } from '../../src/database/schema/index.ts';
import { type Clock, sleep } from '../../src/lib/clock.ts';
import type { JsonObject } from '../../src/lib/json.ts';
import type { ChatMessage, NewChat, NewMessage } from '../../src/simulator/control-protocol.ts';
import { createSimulator, type Simulator } from '../../src/simulator/create-simulator.ts';
import { listenSimulator } from '../../src/simulator/listen-simulator.ts';
import { toIncoming } from '../../src/telegram/incoming-update.ts';
import { pollUpdates } from '../../src/telegram/poll-updates.ts';
import { createTelegramClient, type TelegramClient } from '../../src/telegram/telegram-client.ts';
import { isOpinionButton, listOtherButtons } from './answer-buttons.ts';
import { createDirectFetch } from './direct-fetch.ts';
import { createFastClock } from './fast-clock.ts';
import { createRecordingLogger } from './recording-logger.ts';
import { createScriptedImages, type ScriptedImages } from './scripted-images.ts';
import { createModelEntry, createScriptedModels, type ScriptedModels } from './scripted-models.ts';
import { createEmbeddedTestDatabase } from './test-database.ts';
import { createBusyDatabase } from './watched-database.ts';

const BOT_ID = 4242;
const TOKEN = '4242:play-token-that-nobody-may-ever-see-in-a-chat';
/** Where links to files lead in a play: nothing listens there. */
export const CLOUD_URL = 'https://files.example.org';
export const API_URL = 'https://ai.example.org/ai/openai';
const SPEED = 20;
/** Real milliseconds that a step of the play may take. Much more than any needs: a machine may be slow. */
const PATIENCE_MS = 30_000;
/** Of a call, where the play has a clock of its own. */
const LATENCY_MS = 60;

/** Somebody with a Telegram app, in one chat. */
export interface Actor {
  readonly id: number;
  readonly name: string;
  readonly chatId: number;
  /** @returns the message's id. */
  writes(text: string, more?: Omit<NewMessage, 'text' | 'from'>): number;
  /** Sends a file as the app would. @returns the message's id. */
  sends(file: PlayFile): number;
  /** Presses the newest button with this label. @returns what the bot says about it; empty where it says nothing. */
  presses(label: string): Promise<string>;
  /** Types `@bot query` in a chat. @returns what the bot offers, and the other options of its call. */
  asksInline(query: string, offset?: string): Promise<InlineAnswer>;
}

/** What a bot answers to an inline query. */
interface InlineAnswer {
  readonly queryId: string;
  readonly results: readonly InlineQueryResult[];
  /** As the bot has sent them. */
  readonly options: JsonObject;
}

export interface PlayFile {
  readonly bytes?: Buffer;
  readonly mimeType?: string;
  readonly fileName?: string;
  /** The same for the files of one album, sent one after the other. */
  readonly mediaGroupId?: string;
  readonly kind?: 'photo' | 'document' | 'audio' | 'voice' | 'video' | 'animation' | 'video_note' | 'sticker';
  readonly caption?: string;
  readonly replyTo?: number;
  readonly topicId?: number;
}

/** A bot with its database, on a stage where everything else is played: Telegram, people, models. */
export interface BotPlay {
  readonly bot: SwitchboardBot;
  readonly models: ScriptedModels;
  /** Who draws. */
  readonly images: ScriptedImages;
  readonly telegram: Simulator['control'];
  readonly conversations: Conversations;
  readonly personas: Personas;
  readonly groups: Groups;
  readonly storage: Storage;
  readonly sharedConversations: SharedConversations;
  readonly interactions: Interactions;
  /** The bot's own. */
  readonly client: TelegramClient;
  readonly accounts: Accounts;
  readonly administration: Administration;
  readonly announcements: Announcements;
  readonly personalData: PersonalData;
  readonly apiKeys: ApiKeys;
  /** The books. */
  readonly usage: UsageRecorder;
  readonly limits: Limits;
  readonly db: Database;
  /** Lines of the log. */
  readonly log: readonly string[];
  /** Somebody in a private chat with the bot. */
  person(name: string, languageCode?: string, chat?: Pick<NewChat, 'topics'>): Actor;
  /** Somebody who runs the service. */
  operator(name: string, chat?: Pick<NewChat, 'topics'>): Actor;
  /** People in a group with the bot. */
  group<Names extends string>(names: readonly Names[], chat?: Partial<NewChat>): Record<Names, Actor>;
  /** Waits until a chat looks like this: a line per message, `Ann: hello` or `Bot: Which? [Yes] [No]`; buttons below answers are left out. */
  shows(chatId: number, lines: readonly string[]): Promise<void>;
  /** Waits until every question of a chat is answered and noted as such. */
  settles(chatId: number): Promise<void>;
  /** Resolves when everything that has come is handled: for what must not be answered. */
  hasHandledAll(): Promise<void>;
  /** What stands in a chat, as lines. The usual buttons below finished answers are left out. */
  lines(chatId: number): string[];
  /** The labels below the bot's last message that has any, all in one: `‹ 2/2 › 🔄 🤖`; without 👍 and 👎. */
  buttons(chatId: number): string;
  /** Waits until a message of the bot has text or a caption like this. */
  sees(chatId: number, text: string | RegExp): Promise<ChatMessage>;
  /** Lets time pass on the stage. */
  passes(durationMs: number): Promise<void>;
  /** Hands an update to the bot directly. */
  receives(update: object): Promise<void>;
  /** Brings updates as Telegram would, past the simulator: they are kept, and handled when it is their turn. */
  brings(updates: readonly object[]): Promise<void>;
  /** Calls the Bot API as another process of the bot would: past its client. */
  callBotApi(method: string, payload: JsonObject): Promise<void>;
  close(): Promise<void>;
}

/** The bot's name in the lines of a play. */
const BOT = 'Bot';

export async function createBotPlay(
  options: {
    readonly models?: readonly ModelEntry[];
    /** Draws instead of the scripted provider. */
    readonly painter?: ImageModel;
    /** Keeps the bytes of files instead of memory. */
    readonly blobStore?: BlobStore;
    readonly storageOptions?: StorageOptions;
    /** A Bot API server of one's own, with its files in this folder. */
    readonly localDirectory?: string;
    readonly inlineMode?: boolean;
    /** Private chats have topics. */
    readonly privateTopics?: boolean;
    /** The web. Default none. */
    readonly openPage?: BotDeps['openPage'];
    /** Who listens to recordings. Default nobody. */
    readonly transcription?: Transcription;
    /** Who reads aloud. Default nobody. */
    readonly speech?: SpokenWords;
    /** What people may use. Default: anything. */
    readonly plans?: Plans;
    /** What models may ask for. Default: nothing. */
    readonly tools?: Partial<ToolsConfig>;
    /** Gets web pages instead of the network. */
    readonly download?: ToolboxDeps['download'];
    /** Who may use the bot beside its operators. Default: everybody. */
    readonly allowedIds?: readonly number[];
    /** Days after which messages go. Default: never. */
    readonly retentionDays?: number;
    /** Whether models are asked for titles of conversations. Default false: then only questions reach them. */
    readonly asksForTitles?: boolean;
    readonly change?: (deps: BotDeps) => BotDeps;
    /** Decides what time it is. Then there is no network between the bot and Telegram, but a latency on this clock. */
    readonly clock?: Clock;
    /** Puts something between the play and its database. */
    readonly wrapDatabase?: (db: Database) => Database;
  } = {},
): Promise<BotPlay> {
  const embedded = await createEmbeddedTestDatabase();
  const busy = createBusyDatabase(embedded.db);
  const clock = options.clock ?? createFastClock(SPEED, busy.isBusy);
  const { logger, lines: log } = createRecordingLogger();
  const simulator = createSimulator({
    clock,
    bots: [
      {
        token: TOKEN,
        username: 'switch_bot',
        firstName: BOT,
        inlineMode: options.inlineMode ?? true,
        privateTopics: options.privateTopics ?? false,
      },
    ],
    limits: 'telegram',
    ...(options.localDirectory === undefined ? {} : { localDirectory: options.localDirectory }),
  });
  const server = options.clock ? undefined : await listenSimulator(simulator);
  const database = { db: options.wrapDatabase?.(busy.db) ?? busy.db, close: () => embedded.close() };
  const client = createTelegramClient(
    { token: TOKEN, apiRoot: server?.url, clock, logger },
    server ? {} : { fetch: createDirectFetch({ simulator, clock, latencyMs: LATENCY_MS }) },
  );
  const models = createScriptedModels(options.models ?? [createModelEntry('basic'), createModelEntry('clever')]);
  const images = createScriptedImages('painter', []);
  const image = options.painter ?? images.provider.image;
  if (!image) throw new Error('nobody draws');
  const usage = createUsageRecorder({ db: database.db, clock, logger });
  const conversations = createConversations({ db: database.db });
  const personas = createPersonas({ db: database.db });
  const groups = createGroups({ db: database.db, clock, logger });
  const store = options.blobStore ?? createMemoryBlobStore();
  const storage = createStorage(
    { db: database.db, clock, logger, store, encryptionKey: Buffer.alloc(32, 7) },
    options.storageOptions,
  );
  const sharedConversations = createSharedConversations({ storage });
  const adminIds: number[] = [];
  const administration = createAdministration({
    db: database.db,
    clock,
    adminIds,
    allowedIds: options.allowedIds ?? [],
  });
  const isAdmitted = async (telegramId: number) => (await administration.admit(telegramId)) === 'welcome';
  const accounts = createAccounts({ db: database.db, clock, adminIds, isAdmitted });
  const interactions = createInteractions({ db: database.db, clock });
  const apiKeys = createApiKeys({ db: database.db, clock });
  const keyUses = createKeyUses({ db: database.db, clock, logger });
  const { plans = {} } = options;
  const limits = createLimits({ db: database.db, clock, logger, plans, findPlan: accounts.findPlan });
  const personalData = createPersonalData(
    { db: database.db, clock, logger, storage, recorder: usage },
    { retentionDays: options.retentionDays },
  );
  const announcements = createAnnouncements({ db: database.db, clock });
  const toolbox = createToolbox(
    { clock, logger, download: options.download },
    { builtIn: [], sources: [], limits: DEFAULT_TOOL_LIMITS, ...options.tools },
  );
  await toolbox.start();
  const generation = options.plans
    ? createChatGeneration({ chat: toChatModel(models), usage, clock, limits })
    : models.generation;
  const documents = createDocumentTexts();
  const deps: BotDeps = {
    client,
    accounts,
    apiKeys,
    keyUses,
    usageReports: createUsageReports({ db: database.db, clock, recorder: usage }),
    limits,
    administration,
    announcements,
    personalData,
    serviceReports: createServiceReports({ db: database.db, clock, recorder: usage }),
    feedback: createFeedback({ db: database.db, clock, recorder: usage }),
    apiUrl: API_URL,
    conversations,
    arrivals: createArrivals({ db: database.db, botId: BOT_ID }),
    personas,
    groups,
    interactions,
    generation,
    toolAnswers: createToolAnswers({ generation: createTemperatureFallback(generation), clock, logger }),
    toolbox,
    images: createImageGeneration({ image, usage, clock, limits }),
    drawings: createDrawings({ db: database.db, clock }),
    catalogue: models.catalogue,
    storage,
    sharedConversations,
    asksForTitles: options.asksForTitles ?? false,
    documents,
    openPage: options.openPage ?? (() => Promise.reject(new Error('there is no web'))),
    transcription: options.transcription ?? { isAvailable: () => false, transcribe: async () => '' },
    speech: options.speech ?? { isAvailable: () => false, speak: () => Promise.reject(new Error('nobody speaks')) },
    cloudUrl: CLOUD_URL,
    clock,
    logger,
  };
  const bot = createBot(options.change?.(deps) ?? deps);
  await bot.setUp(AbortSignal.timeout(PATIENCE_MS));
  const feed = await startFeed(bot, database.db, { client, clock, logger });
  const ending = new AbortController();
  const announcing = options.clock ? undefined : bot.announce(ending.signal);
  const control = options.clock ? simulator.control : withPatience(simulator.control);

  const lines = (chatId: number) => control.transcript(chatId).map(toLine);
  const waitFor = async <Value>(look: () => Value | undefined | false, whatIsSeen: () => string): Promise<Value> => {
    try {
      return await control.waitFor(look, PATIENCE_MS * SPEED);
    } catch (error) {
      const errors = log.filter((line) => line.includes('"level":50')).slice(-3);
      throw new Error([String(error), whatIsSeen(), ...errors].join('\n'));
    }
  };
  const toActor = (id: number, name: string, chatId: number): Actor => {
    const presses = async (label: string) => {
      const { messageId, data } = await waitFor(
        () => findButton(control.transcript(chatId), label),
        () => `no button ${label}:\n${lines(chatId).join('\n')}`,
      );
      const answers: { id: string; text: string }[] = [];
      const unsubscribe = control.subscribe((event) => {
        if (event.type === 'callback-answer') answers.push({ id: event.callbackQueryId, text: event.text ?? '' });
      });
      try {
        const { callbackQueryId } = control.pressButton(chatId, messageId, { from: id, data });
        const isMine = (answer: { id: string }) => answer.id === callbackQueryId;
        const answer = await waitFor(
          () => answers.find(isMine),
          () => `no answer to ${label}`,
        );
        return answer.text;
      } finally {
        unsubscribe();
      }
    };
    return {
      id,
      name,
      chatId,
      writes: (text, more = {}) => control.sendMessage(chatId, { ...more, text, from: id }).message.message_id,
      sends: (file) => sendFile(control, chatId, id, file),
      presses,
      async asksInline(query, offset = '') {
        const isMine = ({ params, status }: { params: JsonObject; status?: number | undefined }) =>
          params['inline_query_id'] === queryId && status === 200;
        const { inlineQueryId: queryId } = control.askInline({ from: id, query, offset });
        // A call is in the log a little after its effects can be seen.
        const { params } = await vi.waitFor(() => {
          const answer = control.calls('answerInlineQuery').find(isMine);
          if (!answer) throw new Error(`no answer to the inline query ${query}`);
          return answer;
        });
        const { results, ...options } = params;
        return { queryId, results: Array.isArray(results) ? results : [], options };
      },
    };
  };

  const addPerson = (name: string, languageCode = 'en', more: Pick<NewChat, 'topics'> = {}) => {
    const person = control.createPerson({ firstName: name, languageCode });
    const chat = control.createChat({ type: 'private', memberIds: [person.id], ...more });
    return toActor(person.id, name, chat.id);
  };

  return {
    bot,
    models,
    images,
    telegram: control,
    conversations,
    personas,
    groups,
    storage,
    sharedConversations,
    interactions,
    client,
    accounts,
    administration,
    announcements,
    personalData,
    apiKeys,
    usage,
    limits,
    db: database.db,
    log,
    person: addPerson,
    operator(name, chat) {
      const operator = addPerson(name, 'en', chat);
      adminIds.push(operator.id);
      return operator;
    },
    group(names, chat = {}) {
      const people = names.map((name) => control.createPerson({ firstName: name }));
      const { id } = control.createChat({
        type: 'supergroup',
        title: 'Friends',
        ...chat,
        memberIds: people.map((person) => person.id),
      });
      const actors = people.map((person) => [person.firstName, toActor(person.id, person.firstName, id)]);
      return Object.fromEntries(actors);
    },
    lines,
    buttons(chatId) {
      const rows = control.transcript(chatId).map(({ message }) => message.reply_markup?.inline_keyboard ?? []);
      return (rows.findLast((one) => one.length > 0) ?? [])
        .flat()
        .map(({ text }) => text)
        .filter((label) => !isOpinionButton(label))
        .join(' ');
    },
    async shows(chatId, expected) {
      const isShown = () => JSON.stringify(lines(chatId)) === JSON.stringify(expected);
      await control.waitFor(isShown, PATIENCE_MS * SPEED).catch(() => {});
      expect(lines(chatId)).toEqual(expected);
    },
    hasHandledAll: () =>
      expect
        .poll(async () => {
          const waiting = await database.db.select().from(updates).where(isNull(updates.handledAt));
          return control.pendingUpdates().length + waiting.length;
        })
        .toBe(0),
    settles: (chatId) => vi.waitFor(async () => expect(await conversations.listOwed(chatId)).toEqual([])),
    sees: (chatId, text) =>
      waitFor(
        () => control.transcript(chatId).findLast((message) => isBots(message) && matches(message, text)),
        () => `expected ${text} in\n${lines(chatId).join('\n')}`,
      ),
    passes: (durationMs) => sleep(clock, durationMs),
    receives: (update) => bot.handleUpdate(Object.assign({ update_id: 1 }, update)),
    async brings(updates) {
      const kept = await feed.accept(updates.map((update) => Object.assign({ update_id: 1 }, update)));
      if (kept < updates.length) throw new Error('there is no room for more updates');
    },
    async callBotApi(method, payload) {
      const { signal } = new AbortController();
      const outcome = await simulator.answer({ token: TOKEN, method, params: payload, signal });
      if (outcome.type !== 'answer' || outcome.status !== 200) throw new Error(`${method} was refused`);
    },
    async close() {
      ending.abort();
      await announcing;
      await feed.stop();
      await bot.stop();
      await toolbox.close();
      await feed.close();
      client.close();
      if (server) await server.close();
      else simulator.close();
      await documents.close();
      await storage.close();
      await keyUses.close();
      await limits.close();
      await usage.close();
      await database.close();
    },
  };
}

/** Whoever waits for something in a chat waits long enough. */
function withPatience(control: Simulator['control']): Simulator['control'] {
  return {
    ...control,
    waitFor: (look, timeoutMs = 0) => control.waitFor(look, Math.max(timeoutMs, PATIENCE_MS * SPEED)),
  };
}

/** Scripted models below the real books. */
function toChatModel({ generation }: ScriptedModels): ChatModel {
  const nobody = { personId: 0, keyId: undefined };
  return {
    complete: (request, signal) => generation.complete(nobody, request, signal),
    stream: (request, signal) => generation.stream(nobody, request, signal),
  };
}

/** Updates go to the bot as in the whole product: polled, kept, and in order per chat. */
async function startFeed(
  bot: SwitchboardBot,
  db: Database,
  { client, clock, logger }: Pick<BotDeps, 'client' | 'clock' | 'logger'>,
) {
  const stopping = new AbortController();
  const inbox = createInbox(
    { db, clock, logger },
    {
      botId: BOT_ID,
      isAlone: true,
      handle: (update, { listFollowing }) =>
        bot.handleUpdate(update as Update, async () => (await listFollowing()) as readonly Update[]),
      isPointless: (update) => bot.isPointless(update as Update),
      onTakenOver: (chatId, signal) => bot.recover(chatId, signal),
      listBusyLanes: () => bot.listBusyChats(),
    },
  );
  await inbox.start();
  const polling = pollUpdates(
    { api: client.api, clock, logger },
    {
      allowedUpdates: bot.allowedUpdates,
      signal: stopping.signal,
      accept: (updates) => inbox.accept(updates.map(toIncoming)),
    },
  );
  return {
    accept: (updates: readonly Update[]) => inbox.accept(updates.map(toIncoming)),
    async stop() {
      stopping.abort();
      await polling;
      await inbox.drain(PATIENCE_MS * SPEED);
    },
    close: () => inbox.close(),
  };
}

function sendFile(control: Simulator['control'], chatId: number, from: number, file: PlayFile): number {
  const { bytes = PNG, mimeType = 'image/png', fileName = 'picture.png', ...more } = file;
  return control.sendFile(chatId, { ...more, from, bytes, mimeType, fileName }).message.message_id;
}

/** One transparent pixel. */
export const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);

function isBots({ message }: ChatMessage): boolean {
  return message.from?.is_bot === true;
}

function matches({ message }: ChatMessage, text: string | RegExp): boolean {
  const words = message.text ?? message.caption ?? '';
  return typeof text === 'string' ? words === text : text.test(words);
}

function toLine(shown: ChatMessage): string {
  const { message } = shown;
  const buttons = listOtherButtons(message).map((label) => ` [${label}]`);
  const file = message.photo ? '(photo) ' : message.document ? `(${message.document.file_name}) ` : '';
  return `${message.from?.first_name ?? '?'}: ${file}${message.text ?? message.caption ?? ''}${buttons.join('')}`;
}

function findButton(messages: readonly ChatMessage[], label: string) {
  for (const { message } of messages.toReversed()) {
    for (const button of message.reply_markup?.inline_keyboard.flat() ?? []) {
      if (button.text === label && 'callback_data' in button) {
        return { messageId: message.message_id, data: button.callback_data };
      }
    }
  }
  return undefined;
}
