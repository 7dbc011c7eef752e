import { badRequest } from '../api-error.ts';
import type { FileKind } from '../control-protocol.ts';
import type { JsonObject } from '../json.ts';
import { fromBotFileId, type PictureSize, type StoredFile } from '../world/file-store.ts';
import { toMediaContent } from '../world/media-content.ts';
import type { MessageContent } from '../world/messages.ts';
import { storeFile } from '../world/store-file.ts';
import type { Call, Upload } from './call.ts';
import { type Params, readBoolean, readInteger, readString } from './params.ts';
import { readCaption, toCaptionContent } from './read-text.ts';

const MAX_PHOTO_BYTES = 10 * 1024 * 1024;
const MAX_PHOTO_SIDES = 10_000;
const MAX_PHOTO_RATIO = 20;

/** Reads the content of a message with one file (`sendPhoto`, `sendDocument`, …). @throws ApiError 400 */
export function readMedia(call: Call, kind: FileKind): MessageContent {
  const file = readFile(call, kind, call.params[kind], kind);
  return { ...describeMedia(call.params, file), ...readMediaCaption(call, call.params, kind) };
}

/** Reads an `InputMedia...` object with its caption. @throws ApiError 400 */
export function readMediaItem(call: Call, item: JsonObject): MessageContent {
  const kind = INPUT_MEDIA_KINDS.find((known) => known === item.type);
  if (!kind) throw badRequest(`can't parse InputMedia: type "${String(item.type)}" is unsupported`);
  const file = readFile(call, kind, item.media, 'media');
  return { ...describeMedia(item, file), ...readMediaCaption(call, item, kind) };
}

const INPUT_MEDIA_KINDS: readonly FileKind[] = ['photo', 'video', 'animation', 'document', 'audio'];
const WITHOUT_CAPTION: readonly FileKind[] = ['sticker', 'video_note'];

function readMediaCaption(call: Call, params: Params, kind: FileKind): MessageContent {
  if (WITHOUT_CAPTION.includes(kind)) return {};
  return {
    ...toCaptionContent(readCaption(call.world, params)),
    ...(readBoolean(params, 'show_caption_above_media') ? { show_caption_above_media: true } : {}),
    ...(readBoolean(params, 'has_spoiler') ? { has_media_spoiler: true } : {}),
  };
}

function describeMedia(params: Params, file: StoredFile): MessageContent {
  const performer = readString(params, 'performer');
  const title = readString(params, 'title');
  const emoji = readString(params, 'emoji');
  return toMediaContent(file.kind, file, {
    durationSeconds: readInteger(params, 'duration') ?? 0,
    size: file.size ?? { width: readInteger(params, 'width') ?? 0, height: readInteger(params, 'height') ?? 0 },
    ...(performer === undefined ? {} : { performer }),
    ...(title === undefined ? {} : { title }),
    ...(emoji === undefined ? {} : { emoji }),
  });
}

/** Stores a new upload (under the field's own name or as `attach://`), or finds a known file by its `file_id`. */
function readFile(call: Call, kind: FileKind, value: unknown, field: string): StoredFile {
  const name = typeof value === 'string' && value.startsWith('attach://') ? value.slice('attach://'.length) : field;
  const upload = call.uploads.get(name);
  if (upload) {
    if (upload.bytes.length === 0) throw badRequest('file must be non-empty');
    const sentAs = chooseKind(call, kind, upload);
    return storeFile(call.world, sentAs, upload, (size) => checkPhoto(sentAs, upload.bytes.length, size));
  }
  if (typeof value !== 'string' || value === '')
    throw badRequest(`there is no ${kind.replace('_', ' ')} in the request`);
  if (/^https?:\/\//i.test(value)) throw badRequest('failed to get HTTP URL content');
  return findSentFile(call, kind, value);
}

/** Turns a GIF sent as a document into an animation, unless `disable_content_type_detection` is set. */
function chooseKind({ params }: Call, kind: FileKind, { bytes }: Upload): FileKind {
  const isGif = kind === 'document' && bytes.toString('latin1', 0, 4) === 'GIF8';
  return isGif && !readBoolean(params, 'disable_content_type_detection') ? 'animation' : kind;
}

function findSentFile({ world, bot }: Call, kind: FileKind, botFileId: string): StoredFile {
  const file = world.files.find(fromBotFileId(bot.id, botFileId) ?? '');
  if (!file) throw badRequest('wrong file identifier/HTTP URL specified');
  if (file.kind !== kind) throw badRequest(`can't use file of type ${nameKind(file.kind)} as ${nameKind(kind)}`);
  return file;
}

/** Returns the name as in TDLib's errors: `VideoNote`. */
function nameKind(kind: FileKind): string {
  return kind.replace(/(^|_)([a-z])/g, (_, __, letter: string) => letter.toUpperCase());
}

function checkPhoto(kind: FileKind, sizeBytes: number, size: PictureSize | undefined): void {
  if (kind !== 'photo') return;
  if (sizeBytes > MAX_PHOTO_BYTES) {
    throw badRequest(
      `file of size ${sizeBytes} bytes is too big for a photo; the maximum size is ${MAX_PHOTO_BYTES} bytes`,
    );
  }
  if (!size) throw badRequest('IMAGE_PROCESS_FAILED');
  const { width, height } = size;
  const ratio = Math.max(width, height) / Math.max(1, Math.min(width, height));
  if (width === 0 || height === 0 || width + height > MAX_PHOTO_SIDES || ratio > MAX_PHOTO_RATIO) {
    throw badRequest('PHOTO_INVALID_DIMENSIONS');
  }
}
