import {
  FileSizeMismatchError,
  FileTooLargeError,
  type StoredFile,
  type UploadedFile,
} from '../../../core/storage/index.ts';
import { sleep } from '../../../lib/clock.ts';
import type { WorkQueue } from '../../../lib/work-queue.ts';
import {
  type OpenedTelegramFile,
  openTelegramFile,
  TelegramFileTooBigError,
  TelegramFileUnavailableError,
} from '../../../telegram/open-file.ts';
import type { SentFile } from '../../inputs/sent-file.ts';
import type { BotServices } from '../../kit/services.ts';
import type { SaveOptions } from './save-journal.ts';

/** Stored file. Its owner key is known right after the upload only. */
export type KeptFile = StoredFile & Partial<Pick<UploadedFile, 'ownerKey'>>;

/** Progress callbacks for one file. */
export interface SaveProgress {
  /** Called with the number of the user's files ahead in the queue; 0: only files of other users. */
  readonly onWaiting: (ahead: number) => void;
  /** Called when the download starts. */
  readonly onStart: () => void;
  /** Called with the number of bytes so far; starts again from 0 after a broken connection. */
  readonly onBytes: (sizeBytes: number) => void;
}

/** Pauses before a retry after a broken connection to Telegram. */
const PAUSES_MS = [1000, 4000];

/**
 * Streams a file from Telegram into the store when the queue allows. A file that is too large is recorded as stored by
 * Telegram only; a file stored by an earlier attempt is kept.
 * @throws errors that `toSaveFailure` converts.
 */
export function saveFile(
  services: BotServices,
  downloads: WorkQueue<number>,
  options: SaveOptions,
  file: SentFile,
  progress: SaveProgress,
  signal: AbortSignal,
): Promise<KeptFile> {
  const work = async () => {
    progress.onStart();
    const kept = await findKept(services, options.viewer, file);
    if (kept) return kept;
    if ((file.sizeBytes ?? 0) > services.storage.maxFileBytes) return keepAtTelegram(services, options, file);
    try {
      return await load(services, options, file, progress, signal);
    } catch (error) {
      const isTooLarge = error instanceof TelegramFileTooBigError || error instanceof FileTooLargeError;
      if (!isTooLarge) throw error;
      return keepAtTelegram(services, options, file);
    }
  };
  return downloads.run(work, { owner: options.viewer.user.id, signal, onWaiting: progress.onWaiting });
}

/** Finds the file of an earlier attempt whose result was lost, by a crash or a failed database response. */
export async function findKept(
  { storage }: BotServices,
  { user }: Pick<SaveOptions['viewer'], 'user'>,
  { storedId }: SentFile,
): Promise<StoredFile | undefined> {
  const kept = storedId === undefined ? undefined : await storage.find(storedId);
  return kept?.userId === user.id ? kept : undefined;
}

async function load(
  services: BotServices,
  options: SaveOptions,
  file: SentFile,
  progress: SaveProgress,
  signal: AbortSignal,
): Promise<UploadedFile> {
  for (let tries = 0; ; tries++) {
    const opened = await openTelegramFile(services, file.fileId, signal);
    try {
      return await services.storage.upload(
        countBytes(opened, progress),
        toUploadOptions(options, file, opened),
        signal,
      );
    } catch (error) {
      signal.throwIfAborted();
      const isBroken = error instanceof TelegramFileUnavailableError || error instanceof FileSizeMismatchError;
      const pauseMs = PAUSES_MS[tries];
      if (!isBroken || pauseMs === undefined) throw error;
      await sleep(services.clock, pauseMs, signal);
    }
  }
}

async function* countBytes({ bytes }: OpenedTelegramFile, progress: SaveProgress): AsyncGenerator<Buffer> {
  let sizeBytes = 0;
  for await (const chunk of bytes) {
    yield chunk;
    sizeBytes += chunk.length;
    progress.onBytes(sizeBytes);
  }
}

function toUploadOptions(options: SaveOptions, file: SentFile, { sizeBytes }: OpenedTelegramFile) {
  return {
    id: file.storedId,
    name: file.name,
    mediaType: file.mediaType,
    sizeBytes,
    userId: options.viewer.user.id,
    telegram: { fileId: file.fileId, kind: file.kind },
  };
}

function keepAtTelegram({ storage }: BotServices, options: SaveOptions, file: SentFile): Promise<UploadedFile> {
  return storage.keepTelegramFile({
    id: file.storedId,
    name: file.name,
    mediaType: file.mediaType,
    userId: options.viewer.user.id,
    sizeBytes: file.sizeBytes ?? 0,
    telegram: { fileId: file.fileId, kind: file.kind },
  });
}
