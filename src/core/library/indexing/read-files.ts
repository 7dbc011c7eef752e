import type { Database } from '../../../database/connect.ts';
import { toStorableText } from '../../../database/storable.ts';
import type { Logger } from '../../../lib/log/logger.ts';
import { type DocumentProblem, type DocumentTexts, DocumentUnreadableError } from '../../documents/index.ts';
import { FileUnreadableError, type Storage } from '../../storage/index.ts';
import {
  beginAttempt,
  claimFile,
  postponeFile,
  releaseFile,
  saveFileProblem,
  saveFileText,
  type UnreadFile,
} from './file-texts.ts';

export interface ReadFilesDeps {
  readonly db: Database;
  readonly logger: Logger;
  readonly storage: Pick<Storage, 'read'>;
  readonly documents: Pick<DocumentTexts, 'canRead' | 'read'>;
  /** Maximum size of the texts of a user's files. Default 256 MiB. */
  readonly maxUserTextBytes?: number | undefined;
}

const MAX_USER_TEXT_BYTES = 256 * 1024 * 1024;

/** Attempts after which a file that can't be read now is left without text. */
const MAX_ATTEMPTS = 3;
/** Pause after so many attempts; 0: the file could not be loaded. */
const PAUSES_MINUTES = [5, 1, 10] as const;
const LOAD_TIMEOUT_MS = 60_000;
/** Problems of the file itself: a further attempt would have the same result. */
const LASTING_PROBLEMS: ReadonlySet<DocumentProblem> = new Set([
  'encrypted',
  'scanned',
  'empty',
  'damaged',
  'encoding',
  'too-large',
]);

/**
 * Reads the text of one stored file that waits for it, and queues it for the index. What a crash leaves unfinished is
 * read again after the lease, a limited number of times.
 * @returns the number of files: 0 if none was due.
 * @throws the signal's reason; errors of the database.
 */
export async function readNextFile(deps: ReadFilesDeps, signal: AbortSignal): Promise<number> {
  signal.throwIfAborted();
  const file = await claimFile(deps.db);
  if (!file) return 0;
  await readFile(deps, file, signal);
  return 1;
}

async function readFile(deps: ReadFilesDeps, file: UnreadFile, signal: AbortSignal): Promise<void> {
  const { db, documents, logger } = deps;
  const { fileId, userId } = file;
  let attempts = 0;
  const load = async () => {
    const bytes = await loadFile(deps, file, signal);
    attempts = await beginAttempt(db, fileId);
    // The process ended during each of the earlier attempts.
    if (attempts > MAX_ATTEMPTS) throw new DocumentUnreadableError('too-complex');
    return bytes;
  };
  try {
    const { text } = await documents.read(file, { userId, load, signal });
    const { maxUserTextBytes = MAX_USER_TEXT_BYTES } = deps;
    if (await saveFileText(db, file, toStorableText(text), maxUserTextBytes)) return;
    logger.info({ fileId }, 'a stored file is found by its name only, because the library of its user is full');
    await saveFileProblem(db, fileId, 'library-full');
  } catch (error) {
    if (signal.aborted) return releaseFile(db, fileId, attempts > 0);
    if (error instanceof DocumentUnreadableError) {
      const pause = LASTING_PROBLEMS.has(error.problem) ? undefined : PAUSES_MINUTES[attempts];
      if (pause !== undefined) return postponeFile(db, fileId, pause);
      logger.info({ fileId, problem: error.problem }, 'a stored file gives no text and is found by its name only');
      return saveFileProblem(db, fileId, error.problem);
    }
    if (error instanceof FileUnreadableError) return saveFileProblem(db, fileId, 'lost');
    logger.warn({ err: error, fileId }, 'a stored file could not be loaded for the index; it is tried again');
    await postponeFile(db, fileId, PAUSES_MINUTES[0]);
  }
}

async function loadFile({ storage }: ReadFilesDeps, { fileId, sizeBytes }: UnreadFile, signal: AbortSignal) {
  const inTime = AbortSignal.any([signal, AbortSignal.timeout(LOAD_TIMEOUT_MS)]);
  const chunks: Buffer[] = [];
  for await (const chunk of await storage.read(fileId, { start: 0, end: sizeBytes - 1 }, inTime)) chunks.push(chunk);
  return Buffer.concat(chunks);
}
