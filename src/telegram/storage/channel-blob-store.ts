import { BlobMissingError, BlobRefusedError, type BlobStore, type RateLimitStore } from '../../core/storage/index.ts';
import type { Clock } from '../../lib/clock.ts';
import { createHttpAgent } from '../../lib/http/http-client.ts';
import type { Logger } from '../../lib/log/logger.ts';
import { findChannelLocator, readBlobLocator, toBlobLocator } from './channel-locator.ts';
import { ChannelPairs } from './channel-pairs.ts';
import { createFilePaths } from './file-paths.ts';
import { putDocument } from './put-document.ts';
import { readDocument } from './read-document.ts';
import { removeMessage } from './remove-message.ts';
import { createStorageBot } from './storage-bot.ts';
import { StorageRateLimiter, type StorageRateLimiterOptions } from './storage-rate-limiter.ts';

export interface TelegramBlobStoreDeps {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly rateLimitStore: RateLimitStore;
}

export interface TelegramBlobStoreConfig {
  /** Tokens of the bots that store blobs, at least one. Each must be an administrator of every channel. */
  readonly botTokens: readonly string[];
  /** Channel ids, at least one. */
  readonly chatIds: readonly number[];
  /** Without a trailing slash. Undefined for Telegram's hosted Bot API. */
  readonly apiRoot?: string | undefined;
  /** Maximum size of a blob. The hosted Bot API serves files of at most 20 MiB. */
  readonly maxBytes: number;
  readonly rateLimiter?: StorageRateLimiterOptions | undefined;
}

/** Blob store with a `close` method for shutdown. */
export type TelegramBlobStore = BlobStore & { close(): Promise<void> };

const HOSTED_API_ROOT = 'https://api.telegram.org';
const CONNECT_MS = 10_000;

/**
 * Creates a store that keeps blobs as documents in channels. Throughput grows with both bots and channels: each bot may
 * send 20 messages a minute into each channel. A message whose send got no response can't be removed, because bots
 * can't read a channel. Makes no call yet.
 */
export function createTelegramBlobStore(
  deps: TelegramBlobStoreDeps,
  config: TelegramBlobStoreConfig,
): TelegramBlobStore {
  const { clock } = deps;
  const { apiRoot } = config;
  const bots = config.botTokens.map((token) => createStorageBot(deps, { token, apiRoot }));
  const pairs = new ChannelPairs(deps, bots, config.chatIds);
  const rateLimiter = new StorageRateLimiter(deps, config.rateLimiter);
  const dispatcher = createHttpAgent({ connectMs: CONNECT_MS });
  const reading = {
    clock,
    dispatcher,
    paths: createFilePaths({ clock }),
    apiRoot: apiRoot ?? HOSTED_API_ROOT,
    mayReadDisk: apiRoot !== undefined,
  };
  const calling = { ...deps, pairs, rateLimiter };
  const findBot = (botId: number) => bots.find(({ id }) => id === botId);

  return {
    kind: 'telegram',
    maxBytes: config.maxBytes,
    async put(blob, signal) {
      if (blob.bytes.length > config.maxBytes) throw new BlobRefusedError(`more than ${config.maxBytes} bytes`);
      return toBlobLocator(await putDocument(calling, blob, signal));
    },
    findOutage: () => pairs.findOutage(),
    prepare(locator) {
      const location = findChannelLocator(locator);
      const bot = location && findBot(location.botId);
      if (bot) reading.paths.prepare(bot, location.fileId);
    },
    async open(locator, range, signal) {
      signal.throwIfAborted();
      const location = readBlobLocator(locator);
      if (range.offset + range.length > location.sizeBytes) throw new BlobMissingError('the blob is shorter');
      const bot = findBot(location.botId);
      if (!bot)
        throw new BlobRefusedError(
          `only bot ${location.botId} can fetch this, and its token is not among the settings`,
        );
      return range.length === 0 ? readNothing() : readDocument(reading, bot, location, range, signal);
    },
    delete: (locator, signal) => removeMessage(calling, readBlobLocator(locator), signal),
    async close() {
      rateLimiter.close();
      for (const bot of bots) bot.close();
      await dispatcher.destroy();
    },
  };
}

async function* readNothing(): AsyncGenerator<Buffer, void> {}
