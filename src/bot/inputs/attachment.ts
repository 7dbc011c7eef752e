import type { Message } from 'grammy/types';
import type { Attachment } from '../../core/conversations/index.ts';
import type { StoredFile } from '../../core/storage/index.ts';
import { toShownName } from '../kit/names.ts';
import type { BotServices } from '../kit/services.ts';
import type { InputCapabilities, Texts } from '../texts/locales.ts';
import { findPhoto, findStill, MAX_FILE_MB } from './photo.ts';
import { findSentFile, type SentFile } from './sent-file.ts';

/** Source of a file: a message, or the data of a reply to a message in another chat. */
export type Bearer = Parameters<typeof findSentFile>[0];

/**
 * Returns the attachment of a message that a model can use: an image, or a file with text. Undefined if there is none.
 */
export function findAttachment(
  services: BotServices,
  bearer: Bearer,
  message: Message,
  texts: Texts,
): Attachment | undefined {
  const photo = findPhoto(bearer);
  if (photo) return photo;
  const file = findSentFile(bearer, message.date, texts);
  return (file && toAttachment(services, file)) ?? findStill(bearer);
}

/** Returns the name of a file in a message that no model can use; undefined if there is none. */
export function findUnreadableName(
  services: BotServices,
  bearer: Bearer,
  message: Message,
  texts: Texts,
): string | undefined {
  const file = findSentFile(bearer, message.date, texts);
  return !file || findAttachment(services, bearer, message, texts) ? undefined : toShownName(file.name);
}

const BYTES_PER_MB = 1024 * 1024;

/** Returns whether a model can be asked about a stored file. */
export function canAskAbout(services: BotServices, file: StoredFile): boolean {
  return file.sizeBytes <= MAX_FILE_MB * BYTES_PER_MB && toStoredAttachment(services, file) !== undefined;
}

/** Returns the attachment of a stored file; undefined if its text can't be extracted. */
export function toStoredAttachment(services: BotServices, file: StoredFile): Attachment | undefined {
  const { id: fileId, name, mediaType, telegram } = file;
  if (telegram) return toAttachment(services, { name, mediaType, ...telegram });
  return services.documents.canRead({ name, mediaType }) ? { kind: 'stored', fileId, name, mediaType } : undefined;
}

function toAttachment(
  { documents, transcription }: BotServices,
  { fileId, uniqueId, kind, name, mediaType }: Pick<SentFile, 'fileId' | 'uniqueId' | 'kind' | 'name' | 'mediaType'>,
): Attachment | undefined {
  const fileInfo = {
    telegramFileId: fileId,
    name,
    ...(uniqueId === undefined ? {} : { telegramUniqueId: uniqueId }),
    ...(mediaType === undefined ? {} : { mediaType }),
  };
  if (kind === 'document' && documents.canRead(fileInfo)) return { kind: 'document', ...fileInfo };
  return isRecording({ kind, mediaType }) && transcription.isAvailable()
    ? { kind: 'recording', ...fileInfo }
    : undefined;
}

const RECORDINGS: ReadonlySet<SentFile['kind']> = new Set(['voice', 'video_note', 'audio']);
/** May also have containers that hosts don't read. */
const MEDIA_FILES: ReadonlySet<SentFile['kind']> = new Set(['video', 'document']);

/** Returns whether speech-to-text can write down the words of a file. */
export function isRecording({ kind, mediaType }: Pick<SentFile, 'kind' | 'mediaType'>): boolean {
  return RECORDINGS.has(kind) || (MEDIA_FILES.has(kind) && isRecordingType(mediaType));
}

/** Returns whether a file has a sound track that speech-to-text hosts read, judged by its type. */
function isRecordingType(mediaType = ''): boolean {
  return Object.hasOwn(EXTENSIONS, toEssence(mediaType));
}

/** Containers that speech-to-text hosts read, by media type, with the extension by which they know them. */
const EXTENSIONS: Readonly<Record<string, string>> = {
  'audio/flac': 'flac',
  'audio/m4a': 'm4a',
  'audio/mp3': 'mp3',
  'audio/mp4': 'm4a',
  'audio/mpeg': 'mp3',
  'audio/ogg': 'ogg',
  'audio/wav': 'wav',
  'audio/webm': 'webm',
  'audio/x-m4a': 'm4a',
  'audio/x-wav': 'wav',
  'video/mp4': 'mp4',
  'video/mpeg': 'mpeg',
  // The same container under another name.
  'video/quicktime': 'mp4',
  'video/webm': 'webm',
  'video/x-m4v': 'mp4',
};
const KNOWN_EXTENSIONS: ReadonlySet<string> = new Set([...Object.values(EXTENSIONS), 'mpga', 'oga', 'opus']);

/** Returns the name under which a recording goes to a host, which derives the format from the extension. */
export function toRecordingName(name: string, mediaType = ''): string {
  const extension = /\.(\w{2,5})$/.exec(name)?.[1]?.toLowerCase();
  if (extension !== undefined && KNOWN_EXTENSIONS.has(extension)) return name;
  const known = EXTENSIONS[toEssence(mediaType)];
  return known === undefined ? name : `${name}.${known}`;
}

function toEssence(mediaType: string): string {
  return mediaType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

/** Returns which speech capabilities are available. */
export function toInputCapabilities({ transcription, speech }: BotServices): InputCapabilities {
  return { hasSpeechToText: transcription.isAvailable(), hasTextToSpeech: speech.isAvailable() };
}
