import type { BlobLocator } from '../../core/storage/index.ts';

/** Where a blob lies: the message that carries it, and the name under which its bot knows the file. No token is in it. */
export interface ChannelLocator {
  /** The bot that may fetch it: a `file_id` serves one bot. */
  readonly botId: number;
  readonly chatId: number;
  readonly messageId: number;
  readonly fileId: string;
  readonly sizeBytes: number;
}

/** As it is kept. */
export function toBlobLocator(locator: ChannelLocator): BlobLocator {
  return { ...locator };
}

/** @throws TypeError where it is not a locator of this store. */
export function readBlobLocator(locator: BlobLocator): ChannelLocator {
  const place = findChannelLocator(locator);
  if (!place) throw new TypeError('not a locator of a message in a channel');
  return place;
}

/** Undefined where it is not a locator of this store. */
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
