import type { Message } from 'grammy/types';
import { z } from 'zod';
import type { Texts } from '../texts/locales.ts';

/** File in a message. Stored as JSON in callback actions: fields that are added later must be optional. */
export const sentFile = z.object({
  fileId: z.string(),
  kind: z.enum(['document', 'photo', 'video', 'audio', 'voice', 'animation', 'sticker', 'video_note']),
  name: z.string(),
  mediaType: z.string().optional(),
  sizeBytes: z.number().optional(),
  /** Telegram's `file_unique_id`: the same in every update. */
  uniqueId: z.string().optional(),
  /** Id of the file in the store, chosen before the upload, so that a retry finds a file that is already stored. */
  storedId: z.string().optional(),
});

/** File in a message, always with a name: many kinds have none in Telegram. */
export type SentFile = z.infer<typeof sentFile>;

/** Source of a file: a message, or the data of a reply to a message in another chat. */
type Bearer = Pick<
  Message,
  'document' | 'photo' | 'live_photo' | 'video' | 'audio' | 'voice' | 'animation' | 'sticker' | 'video_note'
>;

const MEDIA_TYPES = {
  photo: 'image/jpeg',
  video: 'video/mp4',
  animation: 'video/mp4',
  video_note: 'video/mp4',
} as const;

/**
 * Returns the file of a message; undefined if it has none.
 * @param sentAt in seconds since the epoch; used for missing names, in UTC, because the user's time zone is not known.
 */
export function findSentFile(bearer: Bearer, sentAt: number, texts: Texts): SentFile | undefined {
  const found = findFileFields(bearer);
  if (!found) return undefined;
  const { kind, fields } = found;
  const mediaType =
    fields.mime_type ?? (kind in MEDIA_TYPES ? MEDIA_TYPES[kind as keyof typeof MEDIA_TYPES] : undefined);
  return {
    fileId: fields.file_id,
    uniqueId: fields.file_unique_id,
    kind,
    name:
      toStorableName(fields.file_name) ||
      (findTitle(bearer, mediaType) ?? makeName(texts.inputs.fileKinds[kind], sentAt, mediaType)),
    ...(mediaType === undefined ? {} : { mediaType }),
    ...(isSize(fields.file_size) && { sizeBytes: fields.file_size }),
  };
}

/** Returns whether a size is known and valid. */
function isSize(fields: number | undefined): fields is number {
  return Number.isSafeInteger(fields) && Number(fields) >= 0;
}

const MAX_NAME_LENGTH = 1000;

/** Limits a name to characters that JSON in the database can represent; the store sanitizes it further. */
function toStorableName(name = ''): string {
  return name
    .slice(-MAX_NAME_LENGTH)
    .toWellFormed()
    .replace(/\p{Cc}/gu, '');
}

/** Telegram's data about a file; every kind lacks some of these fields. */
interface FileFields {
  readonly file_id: string;
  readonly file_unique_id: string;
  readonly file_size?: number;
  readonly file_name?: string;
  readonly mime_type?: string;
}

function findFileFields(bearer: Bearer): { readonly kind: SentFile['kind']; readonly fields: FileFields } | undefined {
  const { sticker } = bearer;
  if (sticker) return { kind: 'sticker', fields: { ...sticker, mime_type: toStickerType(sticker) } };
  // An animation also has `document`, for clients that don't support animations.
  for (const kind of ['animation', 'video', 'audio', 'voice', 'video_note', 'document'] as const) {
    const fields = bearer[kind];
    if (fields) return { kind, fields };
  }
  const photo = bearer.photo?.at(-1);
  return photo && { kind: 'photo', fields: photo };
}

function toStickerType({ is_animated, is_video }: NonNullable<Bearer['sticker']>): string {
  if (is_animated) return 'application/x-tgsticker';
  return is_video ? 'video/webm' : 'image/webp';
}

/** Returns the performer and title of music as a name. */
function findTitle({ audio }: Bearer, mediaType: string | undefined): string | undefined {
  const words = [audio?.performer, audio?.title].filter((word) => word);
  return words.length > 0 ? addExtension(words.join(' – '), mediaType) : undefined;
}

function makeName(kind: string, sentAt: number, mediaType: string | undefined): string {
  const [day = '', time = ''] = new Date(sentAt * 1000).toISOString().split('T');
  return addExtension(`${kind} ${day} ${time.slice(0, 5).replace(':', '.')}`, mediaType);
}

const EXTENSIONS: Readonly<Record<string, string>> = {
  'application/x-tgsticker': 'tgs',
  'audio/flac': 'flac',
  'audio/mp4': 'm4a',
  'audio/mpeg': 'mp3',
  'audio/ogg': 'ogg',
  'audio/webm': 'webm',
  'audio/x-m4a': 'm4a',
  'image/gif': 'gif',
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'image/webp': 'webp',
  'video/mp4': 'mp4',
  'video/quicktime': 'mov',
  'video/webm': 'webm',
};

function addExtension(name: string, mediaType: string | undefined): string {
  const extension = mediaType === undefined ? undefined : EXTENSIONS[mediaType];
  return extension === undefined ? name : `${name}.${extension}`;
}
