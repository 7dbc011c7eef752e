import type { Message } from 'grammy/types';
import type { Attachment } from '../../core/conversations/index.ts';
import { openTelegramFile, TelegramFileTooBigError } from '../../telegram/open-file.ts';
import { AnswerFailedError, type Failure } from '../kit/failure.ts';
import type { BotServices } from '../kit/services.ts';

/** Image in a message. */
export type Photo = Extract<Attachment, { readonly kind: 'photo' }>;

/** Telegram's limit for photos; images sent as files can be larger. */
export const MAX_PHOTO_MB = 10;
/** Limit of `getFile` on the hosted Bot API. */
export const MAX_FILE_MB = 20;
const IMAGE_TYPES = new Set(['image/jpeg', 'image/png', 'image/webp', 'image/gif']);

/** Returns the image of a message in its largest size: a photo, the still of a live photo, or an image file. */
export function findPhoto(message: Pick<Message, 'photo' | 'document' | 'live_photo'>): Photo | undefined {
  const largest = (message.photo ?? message.live_photo?.photo)?.at(-1);
  if (largest) return { kind: 'photo', telegramFileId: largest.file_id };
  const document = message.document;
  const isImage = document?.mime_type !== undefined && IMAGE_TYPES.has(document.mime_type);
  return isImage ? { kind: 'photo', telegramFileId: document.file_id } : undefined;
}

/**
 * Returns the image of a sticker or an animation; undefined for other messages. Animated ones are videos or vector
 * graphics, of which Telegram offers one frame.
 */
export function findStill({ sticker, animation }: Pick<Message, 'sticker' | 'animation'>): Photo | undefined {
  const isImage = sticker && !sticker.is_animated && !sticker.is_video;
  const still = isImage ? sticker : (sticker ?? animation)?.thumbnail;
  return still && { kind: 'photo', telegramFileId: still.file_id, ...(sticker && { isOptional: true }) };
}

/**
 * Loads an image from Telegram as a `data:` URL, the form that all vision models accept.
 * @throws AnswerFailedError if it is larger than 10 MB or can't be loaded; the signal's reason when aborted. Neither
 * contains the bot's token.
 */
export async function loadPhoto(services: BotServices, attachment: Photo, signal: AbortSignal): Promise<string> {
  const bytes = await loadPhotoFile(services, attachment.telegramFileId, MAX_PHOTO_MB, signal);
  return `data:${detectImageType(bytes)};base64,${bytes.toString('base64')}`;
}

/**
 * Loads an image from Telegram.
 * @throws AnswerFailedError if it is larger than `limitMb` or can't be loaded; the signal's reason when aborted.
 * Neither contains the bot's token.
 */
export function loadPhotoFile(
  services: BotServices,
  telegramFileId: string,
  limitMb: number,
  signal: AbortSignal,
): Promise<Buffer> {
  const failures = { tooLarge: { kind: 'photoTooLarge', limitMb }, unavailable: { kind: 'photoUnavailable' } } as const;
  return loadFile(services, telegramFileId, { limitMb, ...failures }, signal);
}

/** Detects the type from the first bytes, because Telegram may lose the type of a file. Its photos are JPEG. */
function detectImageType(bytes: Buffer): string {
  const head = bytes.toString('latin1', 0, 12);
  if (head.startsWith('\x89PNG')) return 'image/png';
  if (head.startsWith('GIF8')) return 'image/gif';
  return head.startsWith('RIFF') && head.endsWith('WEBP') ? 'image/webp' : 'image/jpeg';
}

const BYTES_PER_MB = 1024 * 1024;
const LOAD_TIMEOUT_MS = 60_000;

interface LoadParams {
  readonly limitMb: number;
  /** Failure for a file above the limit, or one that Telegram refuses for its size. */
  readonly tooLarge: Failure;
  /** Failure for a file that can't be loaded. */
  readonly unavailable: Failure;
}

/**
 * Loads a file from Telegram into memory.
 * @throws AnswerFailedError; the signal's reason when aborted. Neither contains the bot's token.
 */
export async function loadFile(
  services: BotServices,
  telegramFileId: string,
  { limitMb, tooLarge, unavailable }: LoadParams,
  signal: AbortSignal,
): Promise<Buffer> {
  const maxBytes = limitMb * BYTES_PER_MB;
  const chunks: Buffer[] = [];
  let loadedBytes = 0;
  try {
    const inTime = AbortSignal.any([signal, AbortSignal.timeout(LOAD_TIMEOUT_MS)]);
    const { sizeBytes = 0, bytes } = await openTelegramFile(services, telegramFileId, inTime);
    if (sizeBytes > maxBytes) throw new AnswerFailedError(tooLarge);
    for await (const chunk of bytes) {
      loadedBytes += chunk.length;
      if (loadedBytes > maxBytes) throw new AnswerFailedError(tooLarge);
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof AnswerFailedError) throw error;
    if (error instanceof TelegramFileTooBigError) throw new AnswerFailedError(tooLarge);
    throw new AnswerFailedError(unavailable, { cause: error });
  }
}
