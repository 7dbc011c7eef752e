import {
  FileSizeMismatchError,
  FileTooLargeError,
  type StoredFile,
  type UploadedFile,
} from '../../../core/storage/index.ts';
import type { WorkQueue } from '../../../lib/async/work-queue.ts';
import { sleep } from '../../../lib/clock.ts';
import {
  type OpenedTelegramFile,
  openTelegramFile,
  TelegramFileTooBigError,
  TelegramFileUnavailableError,
} from '../../../telegram/open-file.ts';
import type { SentFile } from '../../inputs/sent-file.ts';
import type { BotServices } from '../../kit/services.ts';
import type { SaveRequest } from './save-journal.ts';

/** Stored file. Its owner key is known right after the upload only. */
export type SavedFile = StoredFile & Partial<Pick<UploadedFile, 'ownerKey'>>;

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
 * Telegram only; a file stored by an earlier attempt is reused.
 * @throws errors that `toSaveFailure` converts.
 */
export function saveFile(
  services: BotServices,
  downloads: WorkQueue<number>,
  request: SaveRequest,
  file: SentFile,
  progress: SaveProgress,
  signal: AbortSignal,
): Promise<SavedFile> {
  const work = async () => {
    progress.onStart();
    const saved = await findSaved(services, request.viewer, file);
    if (saved) return saved;
    if ((file.sizeBytes ?? 0) > services.storage.maxFileBytes) return recordAtTelegram(services, request, file);
    try {
      return await load(services, request, file, progress, signal);
    } catch (error) {
      const isTooLarge = error instanceof TelegramFileTooBigError || error instanceof FileTooLargeError;
      if (!isTooLarge) throw error;
      return recordAtTelegram(services, request, file);
    }
  };
  return downloads.run(work, { owner: request.viewer.user.id, signal, onWaiting: progress.onWaiting });
}

/** Finds the file of an earlier attempt whose result was lost, by a crash or a failed database response. */
export async function findSaved(
  { storage }: BotServices,
  { user }: Pick<SaveRequest['viewer'], 'user'>,
  { storedId }: SentFile,
): Promise<StoredFile | undefined> {
  const saved = storedId === undefined ? undefined : await storage.find(storedId);
  return saved?.userId === user.id ? saved : undefined;
}

async function load(
  services: BotServices,
  request: SaveRequest,
  file: SentFile,
  progress: SaveProgress,
  signal: AbortSignal,
): Promise<UploadedFile> {
  for (let tries = 0; ; tries++) {
    const opened = await openTelegramFile(services, file.fileId, signal);
    try {
      return await services.storage.upload(
        countBytes(opened, progress),
        toUploadOptions(request, file, opened),
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

function toUploadOptions(request: SaveRequest, file: SentFile, { sizeBytes }: OpenedTelegramFile) {
  return {
    id: file.storedId,
    name: file.name,
    mediaType: file.mediaType,
    sizeBytes,
    userId: request.viewer.user.id,
    telegram: { fileId: file.fileId, kind: file.kind },
  };
}

function recordAtTelegram({ storage }: BotServices, request: SaveRequest, file: SentFile): Promise<UploadedFile> {
  return storage.storeTelegramFile({
    id: file.storedId,
    name: file.name,
    mediaType: file.mediaType,
    userId: request.viewer.user.id,
    sizeBytes: file.sizeBytes ?? 0,
    telegram: { fileId: file.fileId, kind: file.kind },
  });
}
