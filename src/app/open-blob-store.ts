import type { Config, StorageSettings } from '../config/index.ts';
import {
  type BlobStore,
  createDatabaseRateLimitStore,
  createDiskBlobStore,
  ensureEncryptionKey,
  type StorageOptions,
} from '../core/storage/index.ts';
import { describeError } from '../lib/errors/describe-error.ts';
import type { ReadDiskSpace } from '../lib/files/disk-space.ts';
import { createTelegramBlobStore } from '../telegram/storage/channel-blob-store.ts';
import { checkChannels } from '../telegram/storage/check-channels.ts';
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
 * Opens the blob store, its encryption key, and the check of the disk that it or the embedded database fills. Unusable channels are logged; they can be fixed while the service runs.
 * @throws EncryptionKeyError
 */
export async function openBlobStore(config: Config, deps: OpenBlobStoreDeps): Promise<BlobStorage> {
  const { encryptionKey: keySetting, location } = config.storage;
  if (keySetting.kind === 'file' && config.database.kind === 'postgres')
    deps.logger.warn(
      { path: keySetting.path },
      'ENCRYPTION_KEY is not set: the key is in this file only. Back it up: without it stored files cannot be read. Other processes on the same database need the same key',
    );
  const encryptionKey = keySetting.kind === 'given' ? keySetting.key : await ensureEncryptionKey(keySetting.path);
  const fillsDisk = location.kind === 'disk' || config.database.kind === 'embedded';
  return { store: openStore(config, deps), encryptionKey, readSpace: fillsDisk ? deps.readSpace : undefined };
}

function openStore({ storage: { location }, telegram }: Config, deps: Foundation): BlobStore {
  if (location.kind === 'disk') return createDiskBlobStore({ directory: location.directory });
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
  void checkChannels(deps, location)
    .then(({ problems }) => {
      for (const problem of problems) deps.logger.error({ problem }, 'a channel cannot store files');
    })
    .catch((error: unknown) => deps.logger.warn({ reason: describeError(error) }, 'the channels could not be checked'));
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
