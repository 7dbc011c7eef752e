import { dirname } from 'node:path';
import type { SimulatorOptions } from 'telegram-bot-simulator';
import { startTestSimulator } from '../../../simulator/test/support/simulator.ts';
import { startFakeProvider } from '../hosts/fake-provider.ts';
import type { TestDatabase } from '../stores/test-database.ts';
import { createChatHelpers, listOtherButtons } from './chats.ts';
import { createWorkFolder, eventually, type Launch, type Settings, startService } from './process.ts';
import { createActors } from './users.ts';

/** API key that the process sends to the provider. */
export const UPSTREAM_KEY = 'sk-upstream-secret-of-the-stage';

/** Processes take long to start, and longer when they are killed. */
const STUCK_MS = 120_000;

/** The service process as a real bot, between a simulated Telegram and a fake provider. */
export type ServiceHarness = Awaited<ReturnType<typeof startServiceHarness>>;

export interface ServiceHarnessOptions {
  readonly settings?: Settings;
  /** Database, not closed here. Default: a new embedded one. */
  readonly database?: TestDatabase;
  readonly simulator?: SimulatorOptions;
  /** Another program for the first process. */
  readonly launch?: Launch;
}

/** Starts the simulators and the first process. */
export async function startServiceHarness(options: ServiceHarnessOptions = {}) {
  const folder = await createWorkFolder({ isEmpty: options.database !== undefined });
  const telegram = await startTestSimulator({ limits: 'telegram', ...options.simulator });
  const provider = await startFakeProvider();
  const chatId = telegram.control.createChat({ type: 'private', person: { firstName: 'Ann' } }).id;
  const settings: Settings = {
    BOT_TOKEN: telegram.token,
    TELEGRAM_API_ROOT: telegram.url,
    OPENAI_BASE_URL: provider.baseUrl,
    // Titles would consume scripted answers, which are meant for the questions.
    MODEL_TITLES: 'false',
    OPENAI_API_KEY: UPSTREAM_KEY,
    ...toSettings(options.database),
    ...options.settings,
  };
  let service = await startService(folder.path, settings, options.launch);
  const chats = createChatHelpers(telegram.control, { stuckMs: STUCK_MS });
  const said = () =>
    telegram.control.transcript(chatId).flatMap(({ message }) => (message.from?.is_bot ? [message.text ?? ''] : []));
  return {
    ...chats,
    ...createActors({ control: telegram.control, chats }),
    /** The newest process. */
    get service() {
      return service;
    },
    telegram,
    provider,
    /** Ann's private chat with the bot. */
    chatId,
    /** Working directory of the processes. */
    folder: folder.path,
    /** Starts a process with the same settings, or with more. The test ends the previous one. */
    async start(more: Settings = {}, launch?: Launch) {
      service = await startService(folder.path, { ...settings, ...more }, launch);
      return service;
    },
    /** Sends a text as Ann. */
    writes: (text: string) => void telegram.control.sendMessage(chatId, { text }),
    /** Returns the current texts of the bot's messages in Ann's chat, oldest first. */
    said,
    /** Returns the labels of the inline buttons in Ann's chat, without the standard ones of answers. */
    labels: () => telegram.control.transcript(chatId).flatMap(({ message }) => listOtherButtons(message)),
    /** Resolves with the newest message of the bot that contains `text`, as soon as there is one. */
    says: (text: string) => eventually(() => said().findLast((one) => one.includes(text))),
    async close() {
      await service.kill();
      await provider.close();
      await telegram.close();
      await folder.remove();
    },
  };
}

function toSettings(database: TestDatabase | undefined): Settings {
  if (!database) return {};
  return database.config.kind === 'postgres'
    ? { DATABASE_URL: database.config.url }
    : { DATA_DIR: dirname(database.config.directory) };
}
