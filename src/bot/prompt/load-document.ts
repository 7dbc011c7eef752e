import type { Attachment } from '../../core/conversations/index.ts';
import { DocumentUnreadableError } from '../../core/documents/index.ts';
import { loadFile, MAX_FILE_MB } from '../inputs/photo.ts';
import { AnswerFailedError } from '../kit/failure.ts';
import type { BotServices } from '../kit/services.ts';
import type { AnswerRequest } from './answer-request.ts';

/** Document or recording at Telegram. */
export type TelegramFile = Extract<Attachment, { readonly telegramFileId: string; readonly name: string }>;
type StoredDocument = Extract<Attachment, { readonly kind: 'stored' }>;

/** File and its position in the question's attachments, from 0. */
export interface Positioned<File> {
  readonly file: File;
  readonly position: number;
}

const BYTES_PER_MB = 1024 * 1024;

/** @throws AnswerFailedError; the signal's reason. */
export function loadDocument(
  services: BotServices,
  file: TelegramFile | StoredDocument,
  signal: AbortSignal,
): Promise<Buffer> {
  return file.kind === 'stored' ? loadStored(services, file, signal) : loadSent(services, file, signal);
}

function loadSent(services: BotServices, file: TelegramFile, signal: AbortSignal) {
  const { name } = file;
  const limits = {
    limitMb: MAX_FILE_MB,
    tooLarge: { kind: 'documentTooLarge', name, limitMb: MAX_FILE_MB },
    unavailable: { kind: 'unreadable', problem: 'unavailable', name },
  } as const;
  return loadFile(services, file.telegramFileId, limits, signal);
}

async function loadStored({ storage }: BotServices, { fileId, name }: StoredDocument, signal: AbortSignal) {
  const chunks: Buffer[] = [];
  try {
    const file = await storage.find(fileId);
    if (!file) throw new AnswerFailedError({ kind: 'unreadable', problem: 'lost', name });
    const { sizeBytes } = file;
    if (sizeBytes > MAX_FILE_MB * BYTES_PER_MB)
      throw new AnswerFailedError({ kind: 'documentTooLarge', name, limitMb: MAX_FILE_MB });
    if (sizeBytes === 0) return Buffer.alloc(0);
    for await (const chunk of await storage.read(fileId, { start: 0, end: sizeBytes - 1 }, signal)) chunks.push(chunk);
    return Buffer.concat(chunks);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof AnswerFailedError) throw error;
    throw new AnswerFailedError({ kind: 'unreadable', problem: 'lost', name }, { cause: error });
  }
}

/**
 * Reads a file and records the attempt in the database. A file whose reading ended with the process is not read again
 * for the same answer, because it may have caused a crash and would cause one after each restart. Retry creates a new
 * answer.
 * @throws AnswerFailedError; the signal's reason.
 */
export async function readOnce<Result>(
  { conversations, logger }: BotServices,
  { answerId }: AnswerRequest,
  { file: { name }, position }: Positioned<{ readonly name: string }>,
  load: () => Promise<Buffer>,
  read: (load: () => Promise<Buffer>) => Promise<Result>,
): Promise<Result> {
  let isBegun = false;
  const loadOnce = async () => {
    const bytes = await load();
    isBegun = await conversations.beginReading({ answerId, position });
    if (!isBegun) throw new DocumentUnreadableError('too-complex');
    return bytes;
  };
  try {
    return await read(loadOnce);
  } catch (error) {
    if (!(error instanceof DocumentUnreadableError)) throw error;
    const { problem } = error;
    logger.info({ problem }, 'a document could not be read');
    logger.debug({ err: error }, 'cause of a document that could not be read');
    throw new AnswerFailedError({ kind: 'unreadable', problem, name }, { cause: error });
  } finally {
    if (isBegun) await conversations.endReading({ answerId, position });
  }
}
