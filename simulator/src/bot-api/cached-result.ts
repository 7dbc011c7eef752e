import type { InlineQueryResult } from '@grammyjs/types';
import { badRequest } from '../api-error.ts';
import type { FileKind } from '../control-protocol.ts';
import type { JsonObject } from '../json.ts';
import { fromBotFileId, type StoredFile } from '../world/file-store.ts';
import type { Bot, World } from '../world/world.ts';

/** Field of each result type that holds a `file_id`, and the kind of file it requires. */
const CACHED_FILES: { readonly [type in InlineQueryResult['type']]?: readonly [field: string, kind: FileKind] } = {
  photo: ['photo_file_id', 'photo'],
  gif: ['gif_file_id', 'animation'],
  mpeg4_gif: ['mpeg4_file_id', 'animation'],
  sticker: ['sticker_file_id', 'sticker'],
  document: ['document_file_id', 'document'],
  video: ['video_file_id', 'video'],
  voice: ['voice_file_id', 'voice'],
  audio: ['audio_file_id', 'audio'],
};

/**
 * Returns the file of a cached result; undefined if the result names none. @throws ApiError 400 if the file does not
 * exist.
 */
export function findCachedFile(world: World, bot: Bot, result: InlineQueryResult): StoredFile | undefined {
  const [field, kind] = CACHED_FILES[result.type] ?? [];
  const fields: JsonObject = { ...result };
  const id = field === undefined ? undefined : fields[field];
  if (id === undefined) return undefined;
  const file = world.files.find(fromBotFileId(bot.id, String(id)) ?? '');
  if (file?.kind !== kind) throw badRequest('wrong file identifier/HTTP URL specified');
  return file;
}
