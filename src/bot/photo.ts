import { open } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import { GrammyError } from 'grammy';
import type { Message } from 'grammy/types';
import { request } from 'undici';
import type { Attachment } from '../core/conversations/index.ts';
import { redactSecrets } from '../lib/logger.ts';
import type { TelegramClient } from '../telegram/telegram-client.ts';
import { AnswerFailedError } from './failure.ts';

/** Telegram's own limit for photos is 10 MB; images sent as files can be larger. */
export const MAX_PHOTO_MB = 10;
/** What the hosted Bot API hands out of any file (getFile). */
export const MAX_FILE_MB = 20;
const BYTES_PER_MB = 1024 * 1024;
const DOWNLOAD_TIMEOUT_MS = 30_000;
const IMAGE_TYPES = new Set(['image/jpeg', 'image/png', 'image/webp', 'image/gif']);

/** The picture of a message in its best size: a photo, or an image that was sent as a file. */
export function findPhoto(message: Message): Attachment | undefined {
  const largest = message.photo?.at(-1);
  if (largest) return { kind: 'photo', telegramFileId: largest.file_id };
  const document = message.document;
  const isImage = document?.mime_type !== undefined && IMAGE_TYPES.has(document.mime_type);
  return isImage ? { kind: 'photo', telegramFileId: document.file_id } : undefined;
}

/**
 * Loads a picture from Telegram as a `data:` URL, the form in which every vision model takes it.
 * @throws AnswerFailedError where it is larger than 10 MB or can't be had; the signal's reason when aborted. The bot's token is in neither.
 */
export async function loadPhoto(client: TelegramClient, attachment: Attachment, signal: AbortSignal): Promise<string> {
  const bytes = await loadPhotoFile(client, attachment.telegramFileId, MAX_PHOTO_MB, signal);
  return `data:${detectImageType(bytes)};base64,${bytes.toString('base64')}`;
}

/**
 * Loads a picture from Telegram.
 * @throws AnswerFailedError where it is larger than `limitMb` or can't be had; the signal's reason when aborted. The bot's token is in neither.
 */
export async function loadPhotoFile(
  client: TelegramClient,
  telegramFileId: string,
  limitMb: number,
  signal: AbortSignal,
): Promise<Buffer> {
  const tooLarge = new AnswerFailedError({ kind: 'photoTooLarge', limitMb });
  try {
    const file = await client.files.getFile(telegramFileId);
    if ((file.file_size ?? 0) > limitMb * BYTES_PER_MB) throw tooLarge;
    const address = file.getUrl();
    // A local Bot API server hands out the path of the file on its disk.
    const source = isAbsolute(address) ? readLocalFile(address) : download(address, signal);
    return await collect(source, limitMb * BYTES_PER_MB, tooLarge);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof AnswerFailedError) throw error;
    // Of files above 20 MB Telegram's hosted server tells nothing but this.
    if (error instanceof GrammyError && /file is too big/i.test(error.description)) throw tooLarge;
    const reason = redactSecrets(error instanceof Error ? error.message : String(error), [client.api.token]);
    throw new AnswerFailedError({ kind: 'photoUnavailable' }, { cause: new Error(reason) });
  }
}

/** Not by the plugin's own `download`, which knows neither a limit nor a timeout. */
async function* download(url: string, signal: AbortSignal): AsyncGenerator<Buffer> {
  const { statusCode, body } = await request(url, {
    signal: AbortSignal.any([signal, AbortSignal.timeout(DOWNLOAD_TIMEOUT_MS)]),
    // The socket ends with the download: nobody would close a pool of them.
    reset: true,
  });
  if (statusCode !== 200) {
    await body.dump();
    throw new Error(`The file server answered ${statusCode}`);
  }
  yield* body;
}

async function* readLocalFile(path: string): AsyncGenerator<Buffer> {
  const file = await open(path);
  try {
    yield* file.createReadStream({ autoClose: false });
  } finally {
    await file.close();
  }
}

async function collect(source: AsyncIterable<Buffer>, maxBytes: number, tooLarge: Error): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of source) {
    sizeBytes += chunk.length;
    if (sizeBytes > maxBytes) throw tooLarge;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** By the first bytes, because Telegram may lose the type of a file. Its photos are JPEG. */
function detectImageType(bytes: Buffer): string {
  const head = bytes.toString('latin1', 0, 12);
  if (head.startsWith('\x89PNG')) return 'image/png';
  if (head.startsWith('GIF8')) return 'image/gif';
  return head.startsWith('RIFF') && head.endsWith('WEBP') ? 'image/webp' : 'image/jpeg';
}
