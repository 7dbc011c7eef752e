import type { Config, StorageSettings } from './config/index.ts';
import {
  createDatabasePaceStore,
  createDiskBlobStore,
  createKnownBlobs,
  createStorage,
  ensureEncryptionKey,
  type Storage,
  type StorageDeps,
} from './core/storage/index.ts';
import { describeError } from './lib/describe-error.ts';
import type { ReadDiskSpace } from './lib/disk-space.ts';
import type { Observer } from './lib/observer.ts';
import { createTelegramBlobStore } from './telegram/storage/channel-blob-store.ts';
import { checkChannels } from './telegram/storage/check-channels.ts';

interface OpenStorageDeps extends Pick<StorageDeps, 'db' | 'clock' | 'logger'> {
  /** Sees the calls of the bots that carry files. */
  readonly observer: Observer;
  /** Reads the space of the disk of `DATA_DIR`. */
  readonly readSpace: ReadDiskSpace;
}

export interface OpenedStorage {
  readonly storage: Storage;
  /** The kind of store, as the journal names it. */
  readonly storeKind: string;
  /** Cuts uploads, ends the sweeper, then lets go of the store. */
  close(): Promise<void>;
}

/** Encryption adds 16 bytes to every 64 KiB. */
const SEALED_PART_MARGIN_BYTES = 1024 * 1024;
/** Room that a bot that also chats leaves to its chats; Telegram lets it call about 30 times a second. */
const CALLS_PER_SECOND_BESIDE_CHATS = 5;

/**
 * Opens the place where files are kept and starts what works by itself there. Channels that can't be used are told in the
 * log; they can be mended while the service runs.
 * @throws EncryptionKeyError
 */
export async function openStorage(config: Config, deps: OpenStorageDeps): Promise<OpenedStorage> {
  const settings = config.storage;
  const { encryptionKey: keySetting } = settings;
  if (keySetting.kind === 'file' && config.database.kind === 'postgres')
    deps.logger.warn(
      { path: keySetting.path },
      'ENCRYPTION_KEY is not set: the key lies in this file only. Without it stored files can not be read; other processes on the same database need the same key',
    );
  const encryptionKey = keySetting.kind === 'given' ? keySetting.key : await ensureEncryptionKey(keySetting.path);
  const { store, closeStore } = openStore(config, deps);
  const fillsDisk = settings.place.kind === 'disk' || config.database.kind === 'embedded';
  const readSpace = fillsDisk ? deps.readSpace : undefined;
  const storage = createStorage({ ...deps, store, encryptionKey, readSpace }, toOptions(settings));
  storage.start();
  return {
    storage,
    storeKind: store.kind,
    async close() {
      await storage.close();
      await closeStore();
    },
  };
}

function openStore({ storage: { place }, telegram }: Config, deps: OpenStorageDeps) {
  if (place.kind === 'disk')
    return { store: createDiskBlobStore({ directory: place.directory }), closeStore: async () => {} };
  const isChatBot = telegram.mode === 'bot' && place.botTokens.includes(telegram.token);
  const store = createTelegramBlobStore(
    { ...deps, paceStore: createDatabasePaceStore(deps), knownBlobs: createKnownBlobs(deps) },
    {
      ...place,
      maxBytes: place.partBytes + SEALED_PART_MARGIN_BYTES,
      pace: isChatBot ? { callsPerSecond: CALLS_PER_SECOND_BESIDE_CHATS } : {},
    },
  );
  void checkChannels(deps, place)
    .then(({ problems }) => {
      for (const problem of problems) deps.logger.error({ problem }, 'files can not be kept in a channel');
    })
    .catch((error: unknown) => deps.logger.warn({ reason: describeError(error) }, 'the channels were not checked'));
  return { store, closeStore: () => store.close() };
}

function toOptions({ place, maxFileBytes, maxBytesPerDay }: StorageSettings) {
  return {
    maxFileBytes,
    maxBytesPerDay,
    ...(place.kind === 'telegram' ? { partBytes: place.partBytes } : {}),
  };
}
