import type { File, UserProfilePhotos } from '@grammyjs/types';
import { badRequest } from '../../api-error.ts';
import { fromBotFileId, toBotFileId } from '../../world/file-store.ts';
import type { Call, MethodHandler } from '../call.ts';
import { readInteger, readString } from '../params.ts';

/** Exactly 20 MiB still passes: `Client.h` of telegram-bot-api. */
const MAX_DOWNLOAD_BYTES = 20 << 20;

function getFile({ world, bot, params }: Call): File {
  const botFileId = readString(params, 'file_id');
  if (botFileId === undefined) throw badRequest('file_id not specified');
  const file = world.files.find(fromBotFileId(bot.id, botFileId) ?? '');
  if (!file) throw badRequest('invalid file_id');
  if (file.sizeBytes > MAX_DOWNLOAD_BYTES) throw badRequest('file is too big');
  if (!world.files.read(file.id)) throw badRequest('wrong file_id or the file is temporarily unavailable');
  return {
    file_id: toBotFileId(bot.id, file.id),
    file_unique_id: file.uniqueId,
    file_size: file.sizeBytes,
    file_path: file.path,
  };
}

function getUserProfilePhotos({ world, params }: Call): UserProfilePhotos {
  const userId = readInteger(params, 'user_id');
  if (userId === undefined || !world.people.has(userId)) throw badRequest('user not found');
  return { total_count: 0, photos: [] };
}

/** Files on the way back to the bot. */
export const fileMethods: { readonly [method: string]: MethodHandler } = { getFile, getUserProfilePhotos };
