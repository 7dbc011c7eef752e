import type { SimulatorOptions } from 'telegram-bot-simulator';
import { startTestSimulator, type TestSimulator } from '../../simulator/test/support/simulator.ts';
import { createMemoryRateLimitStore, type RateLimitStore } from '../../src/core/storage/index.ts';
import type { Clock } from '../../src/lib/clock.ts';
import {
  createTelegramBlobStore,
  type TelegramBlobStore,
  type TelegramBlobStoreConfig,
} from '../../src/telegram/storage/channel-blob-store.ts';
import { createFastClock } from './fast-clock.ts';
import { createRecordingLogger } from './recording-logger.ts';

/** Tokens of the storage bots. */
export const STORAGE_TOKENS = [
  '7100001:AAtokenOfTheFirstStorageBot_0123456789ab',
  '7100002:AAtokenOfTheSecondStorageBot_0123456789a',
] as const;

export interface ChannelStage {
  readonly simulator: TestSimulator;
  readonly clock: Clock;
  readonly store: TelegramBlobStore;
  readonly chatIds: readonly number[];
  readonly rateLimitStore: RateLimitStore;
  /** Log lines of the store. */
  readonly lines: readonly string[];
  /** Creates another store on the same channels, like another process; closed with the stage. */
  createStore(changes?: Partial<TelegramBlobStoreConfig>): TelegramBlobStore;
  /** Returns the names of the documents in a channel, default the first. */
  documents(chatId?: number): string[];
  close(): Promise<void>;
}

export interface ChannelStageOptions extends SimulatorOptions {
  /** Default 1. */
  readonly botCount?: 1 | 2;
  /** Default 1. */
  readonly channelCount?: number;
  readonly config?: Partial<TelegramBlobStoreConfig>;
}

/**
 * Starts a simulated Telegram with bots in channels, and a store on them. By default, the clock runs at ten times real
 * speed.
 */
export async function startChannelStage(options: ChannelStageOptions = {}): Promise<ChannelStage> {
  const { botCount = 1, channelCount = 1, config = {}, ...others } = options;
  const { clock = createFastClock(10), ...simulation } = others;
  const tokens = STORAGE_TOKENS.slice(0, botCount);
  const bots = tokens.map((token, index) => ({ token, username: `storage_${index}_bot`, firstName: 'Storage' }));
  const simulator = await startTestSimulator({ bots, clock, ...simulation });
  simulator.control.createPerson({ firstName: 'Owner' });
  const chatIds = Array.from({ length: channelCount }, (_, index) =>
    createChannel(simulator, `Vault ${index}`, tokens),
  );
  const { logger, lines } = createRecordingLogger();
  const rateLimitStore = createMemoryRateLimitStore({ clock });
  const stores: TelegramBlobStore[] = [];
  const createStore = (changes: Partial<TelegramBlobStoreConfig> = {}) => {
    const store = createTelegramBlobStore(
      { clock, logger, rateLimitStore },
      {
        ...{ botTokens: tokens, chatIds, apiRoot: simulator.url, maxBytes: 20 * 1024 * 1024 },
        ...config,
        ...changes,
      },
    );
    stores.push(store);
    return store;
  };
  return {
    simulator,
    clock,
    store: createStore(),
    chatIds,
    rateLimitStore,
    lines,
    createStore,
    documents: (chatId = chatIds[0] ?? 0) =>
      simulator.control.transcript(chatId).map(({ message }) => message.document?.file_name ?? ''),
    async close() {
      await Promise.all(stores.map((store) => store.close()));
      await simulator.close();
    },
  };
}

function createChannel({ control }: TestSimulator, title: string, tokens: readonly string[]): number {
  const { id } = control.createChat({ type: 'channel', title });
  for (const token of tokens.slice(1)) {
    control.changeBot(id, { action: 'add' }, Number.parseInt(token, 10));
    control.changeBot(id, { action: 'promote' }, Number.parseInt(token, 10));
  }
  return id;
}
