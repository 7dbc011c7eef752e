import type { BlobLocator } from '../../core/storage/index.ts';

/** Location of a blob: the message that holds it and the file id for its bot. Contains no token. */
export interface ChannelLocator {
  /** The bot that can fetch it: a `file_id` is valid for one bot only. */
  readonly botId: number;
  readonly chatId: number;
  readonly messageId: number;
  readonly fileId: string;
  readonly sizeBytes: number;
}

/** Converts a locator to the form stored in the database. */
export function toBlobLocator(locator: ChannelLocator): BlobLocator {
  return { ...locator };
}

/** @throws TypeError if it is not a locator of this store. */
export function readBlobLocator(locator: BlobLocator): ChannelLocator {
  const location = findChannelLocator(locator);
  if (!location) throw new TypeError('not a locator of a message in a channel');
  return location;
}

/** Returns undefined if it is not a locator of this store. */
export function findChannelLocator(locator: BlobLocator): ChannelLocator | undefined {
  const { botId, chatId, messageId, fileId, sizeBytes } = locator;
  const isWhole =
    typeof botId === 'number' &&
    typeof chatId === 'number' &&
    typeof messageId === 'number' &&
    typeof fileId === 'string' &&
    typeof sizeBytes === 'number';
  return isWhole ? { botId, chatId, messageId, fileId, sizeBytes } : undefined;
}
