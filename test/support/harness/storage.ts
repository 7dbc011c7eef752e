import { randomBytes } from 'node:crypto';
import type { SimulatorOptions } from 'telegram-bot-simulator';
import { startTestSimulator, type TestSimulator } from '../../../simulator/test/support/simulator.ts';
import {
  type BlobStore,
  createMemoryRateLimitStore,
  createStorage,
  type Storage,
  type StorageDeps,
  type StorageOptions,
  type UploadedFile,
  type UploadOptions,
} from '../../../src/core/storage/index.ts';
import type { Database } from '../../../src/database/connect.ts';
import { blobs, files, parts } from '../../../src/database/schema/index.ts';
import {
  createTelegramBlobStore,
  type TelegramBlobStore,
  type TelegramBlobStoreConfig,
} from '../../../src/telegram/storage/channel-blob-store.ts';
import { createFakeClock, type FakeClock } from '../machine/fake-clock.ts';
import { createFastClock } from '../machine/fast-clock.ts';
import { createScriptedBlobStore, type ScriptedBlobStore } from '../stores/scripted-blob-store.ts';
import { createBusyDatabase } from '../stores/watched-database.ts';
import { createRecordingLogger } from './foundation.ts';

/** Tokens of the storage bots. */
export const STORAGE_TOKENS = [
  '7100001:AAtokenOfTheFirstStorageBot_0123456789ab',
  '7100002:AAtokenOfTheSecondStorageBot_0123456789a',
] as const;

export interface ChannelHarnessOptions extends SimulatorOptions {
  /** Default 1. */
  readonly botCount?: 1 | 2;
  /** Default 1. */
  readonly channelCount?: number;
  readonly config?: Partial<TelegramBlobStoreConfig>;
}

const ENCRYPTION_KEY = randomBytes(32);

/**
 * Storage on a store with scripted failures and a fake clock. The clock does not move during work on `db`, so that the
 * latency of a server takes no simulated time.
 */
export interface StorageHarness<Store extends BlobStore = ScriptedBlobStore> {
  readonly storage: Storage;
  readonly store: Store;
  readonly clock: FakeClock;
  /** Database of the storage; work on it stops the clock. */
  readonly db: Database;
  readonly logLines: readonly string[];
  readonly signal: AbortSignal;
  upload(bytes: Buffer, options?: Partial<UploadOptions>): Promise<UploadedFile>;
  read(id: string, range?: { readonly start: number; readonly end: number }): Promise<Buffer>;
  /** Advances the clock until the work is done. */
  elapse<Result>(work: Promise<Result>): Promise<Result>;
  /** Sweeps repeatedly, for two simulated days. */
  sweepThoroughly(): Promise<void>;
  /** Returns the numbers of rows. */
  countRows(): Promise<{ readonly files: number; readonly blobs: number; readonly parts: number }>;
}

/** Creates a storage on a store with scripted failures. */
export function createStorageHarness(
  db: Database,
  options: StorageOptions & { readonly clock?: FakeClock } = {},
): StorageHarness {
  return createStorageHarnessOn(db, createScriptedBlobStore(), options);
}

/** Creates the same on any store. If `clock` is given, work on the database does not stop it. */
export function createStorageHarnessOn<Store extends BlobStore>(
  given: Database,
  store: Store,
  {
    clock: ownClock,
    formerStores,
    encryptionKey = ENCRYPTION_KEY,
    formerEncryptionKeys,
    ...options
  }: StorageOptions &
    Partial<Pick<StorageDeps, 'formerStores' | 'encryptionKey' | 'formerEncryptionKeys'>> & {
      readonly clock?: FakeClock;
    } = {},
): StorageHarness<Store> {
  const busy = createBusyDatabase(given);
  const db = ownClock ? given : busy.db;
  const clock = ownClock ?? createFakeClock(undefined, busy.waitForWork);
  const { logger, lines } = createRecordingLogger();
  const storage = createStorage(
    { db, clock, logger, store, formerStores, encryptionKey, formerEncryptionKeys },
    options,
  );
  const { signal } = new AbortController();
  const harness: StorageHarness<Store> = {
    storage,
    store,
    clock,
    db,
    signal,
    logLines: lines,
    upload: (bytes, uploadOptions = {}) =>
      harness.elapse(
        storage.upload(toChunks(bytes), { name: 'a.bin', mediaType: undefined, ...uploadOptions }, signal),
      ),
    async read(id, range = { start: 0, end: Number.MAX_SAFE_INTEGER }) {
      return harness.elapse(collect(await harness.elapse(storage.read(id, range, signal))));
    },
    async elapse(work) {
      let isDone = false;
      const done = work.finally(() => {
        isDone = true;
      });
      done.catch(() => {});
      while (!isDone) await clock.advance(20);
      return done;
    },
    async sweepThoroughly() {
      for (let round = 0; round < 6; round++) {
        await storage.sweep(signal);
        await clock.advance(8 * 3_600_000);
      }
      await storage.sweep(signal);
    },
    async countRows() {
      return { files: await db.$count(files), blobs: await db.$count(blobs), parts: await db.$count(parts) };
    },
  };
  return harness;
}

/** Splits bytes into chunks of an odd size, like reads from a socket. */
export async function* toChunks(bytes: Buffer, chunkBytes = 40_009): AsyncGenerator<Buffer> {
  for (let start = 0; start < bytes.length; start += chunkBytes) yield bytes.subarray(start, start + chunkBytes);
}

/** Joins chunks, each of which may be overwritten when the next one is requested. */
export async function collect(chunks: AsyncIterable<Buffer>): Promise<Buffer> {
  const all: Buffer[] = [];
  for await (const chunk of chunks) all.push(Buffer.from(chunk));
  return Buffer.concat(all);
}

export type ChannelHarness = Awaited<ReturnType<typeof startChannelHarness>>;

/**
 * Starts a simulated Telegram with bots in channels, and a store on them. By default, the clock runs at ten times real
 * speed.
 */
export async function startChannelHarness(options: ChannelHarnessOptions = {}) {
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
        botTokens: tokens,
        chatIds,
        apiRoot: simulator.url,
        maxBytes: 20 * 1024 * 1024,
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
    /** Log lines of the store. */
    lines,
    /** Creates another store on the same channels, like another process; closed with the harness. */
    createStore,
    /** Returns the names of the documents in a channel, default the first. */
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
