import { dirname } from 'node:path';
import type { SimulatorOptions } from 'telegram-bot-simulator';
import { startTestSimulator, type TestSimulator } from '../../simulator/test/support/simulator.ts';
import { listOtherButtons } from './answer-buttons.ts';
import { type FakeProvider, startFakeProvider } from './fake-provider.ts';
import { createWorkFolder, eventually, type RunningService, type Settings, startService } from './running-service.ts';
import type { TestDatabase } from './test-database.ts';

/** The key under which the process knows the provider. */
export const UPSTREAM_KEY = 'sk-upstream-secret-of-the-stage';

/** The process as a real bot, between a simulated Telegram and a provider that are both played by the test. */
export interface ServiceStage {
  /** The newest process. */
  readonly service: RunningService;
  readonly telegram: TestSimulator;
  readonly provider: FakeProvider;
  /** Ann's private chat with the bot. */
  readonly chatId: number;
  /** Starts a process with the same settings; whoever ends the one before is the test. */
  start(more?: Settings): Promise<RunningService>;
  /** Ann writes. */
  writes(text: string): void;
  /** Texts of the bot's messages in Ann's chat, oldest first, as they stand there now. */
  said(): readonly string[];
  /** Labels of the inline buttons that stand in Ann's chat now, without the usual ones below answers. */
  buttons(): readonly string[];
  /** Resolves with the newest message of the bot that contains `text`, as soon as there is one. */
  says(text: string): Promise<string>;
  close(): Promise<void>;
}

export interface ServiceStageOptions {
  readonly settings?: Settings;
  /** Where data is kept; not closed here. Default: a fresh embedded database. */
  readonly database?: TestDatabase;
  readonly simulator?: SimulatorOptions;
}

/** Builds the stage and starts the first process. */
export async function startServiceStage(options: ServiceStageOptions = {}): Promise<ServiceStage> {
  const folder = await createWorkFolder({ isEmpty: options.database !== undefined });
  const telegram = await startTestSimulator({ limits: 'telegram', ...options.simulator });
  const provider = await startFakeProvider();
  const chatId = telegram.control.createChat({ type: 'private', person: { firstName: 'Ann' } }).id;
  const settings: Settings = {
    BOT_TOKEN: telegram.token,
    TELEGRAM_API_ROOT: telegram.url,
    OPENAI_BASE_URL: provider.baseUrl,
    // The provider answers what people ask, in their order.
    MODEL_TITLES: 'false',
    OPENAI_API_KEY: UPSTREAM_KEY,
    ...toSettings(options.database),
    ...options.settings,
  };
  let service = await startService(folder.path, settings);
  const said = () =>
    telegram.control.transcript(chatId).flatMap(({ message }) => (message.from?.is_bot ? [message.text ?? ''] : []));
  return {
    get service() {
      return service;
    },
    telegram,
    provider,
    chatId,
    async start(more = {}) {
      service = await startService(folder.path, { ...settings, ...more });
      return service;
    },
    writes: (text) => void telegram.control.sendMessage(chatId, { text }),
    said,
    buttons: () => telegram.control.transcript(chatId).flatMap(({ message }) => listOtherButtons(message)),
    says: (text) => eventually(() => said().findLast((one) => one.includes(text))),
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
