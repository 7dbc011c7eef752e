import type { Config, StorageLocation, StorageSettings } from '../config/index.ts';
import {
  type BlobStore,
  createDatabaseRateLimitStore,
  createDiskBlobStore,
  createS3BlobStore,
  ensureEncryptionKey,
  type StorageOptions,
} from '../core/storage/index.ts';
import type { ReadDiskSpace } from '../lib/files/disk-space.ts';
import { createTelegramBlobStore } from '../telegram/storage/channel-blob-store.ts';
import { checkLocation } from './check-location.ts';
import type { Foundation } from './open-resources.ts';
import type { BlobStorage } from './services.ts';

interface OpenBlobStoreDeps extends Foundation {
  /** Reads the free space of the disk of `DATA_DIR`. */
  readonly readSpace: ReadDiskSpace;
}

/** Margin for encryption, which adds 16 bytes to every 64 KiB. */
const SEALED_PART_MARGIN_BYTES = 1024 * 1024;
/** Rate for a bot that also handles chats, out of Telegram's limit of about 30 calls a second. */
const CALLS_PER_SECOND_BESIDE_CHATS = 5;

/**
 * Opens the blob stores, their encryption key, and the check of the disk that files or the embedded database fill. If
 * the place for new files is unusable, that is logged; it can be fixed while the service runs.
 * @throws EncryptionKeyError
 */
export async function openBlobStore(config: Config, deps: OpenBlobStoreDeps): Promise<BlobStorage> {
  const { encryptionKey: keySetting, formerEncryptionKeys, location, formerLocations } = config.storage;
  if (keySetting.kind === 'file' && config.database.kind === 'postgres')
    deps.logger.warn(
      { path: keySetting.path },
      'ENCRYPTION_KEY is not set: the key is in this file only. Back it up: without it stored files cannot be read. Other processes on the same database need the same key',
    );
  const encryptionKey = keySetting.kind === 'given' ? keySetting.key : await ensureEncryptionKey(keySetting.path);
  const fillsDisk = location.kind === 'disk' || config.database.kind === 'embedded';
  void checkLocation(deps, location).then(({ problems }) => {
    for (const problem of problems) deps.logger.error({ problem }, 'files cannot be stored');
  });
  return {
    store: openStore(config, deps, location),
    formerStores: formerLocations.map((former) => openStore(config, deps, former)),
    encryptionKey,
    formerEncryptionKeys,
    readSpace: fillsDisk ? deps.readSpace : undefined,
  };
}

function openStore({ telegram }: Config, deps: Foundation, location: StorageLocation): BlobStore {
  if (location.kind === 'disk') return createDiskBlobStore({ directory: location.directory });
  if (location.kind === 's3') {
    const bucket = createS3BlobStore(deps, location);
    deps.closers.add(() => bucket.close());
    return bucket;
  }
  const isChatBot = telegram.mode === 'bot' && location.botTokens.includes(telegram.token);
  const store = createTelegramBlobStore(
    { ...deps, rateLimitStore: createDatabaseRateLimitStore(deps) },
    {
      ...location,
      maxBytes: location.partBytes + SEALED_PART_MARGIN_BYTES,
      rateLimiter: isChatBot ? { callsPerSecond: CALLS_PER_SECOND_BESIDE_CHATS } : {},
    },
  );
  deps.closers.add(() => store.close());
  return store;
}

/** Converts the settings to storage options. */
export function toStorageOptions({ location, maxFileBytes, maxBytesPerDay }: StorageSettings): StorageOptions {
  return {
    maxFileBytes,
    maxBytesPerDay,
    ...(location.kind === 'telegram' ? { partBytes: location.partBytes } : {}),
  };
}
