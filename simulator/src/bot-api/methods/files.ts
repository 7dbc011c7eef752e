import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { File, UserProfilePhotos } from '@grammyjs/types';
import { badRequest } from '../../api-error.ts';
import { fromBotFileId, type StoredFile, toBotFileId } from '../../world/file-store.ts';
import type { Call, MethodHandler } from '../call.ts';
import { readInteger, readString } from '../params.ts';

/** Inclusive: exactly 20 MiB is allowed (`Client.h` of telegram-bot-api). */
const MAX_DOWNLOAD_BYTES = 20 << 20;

function getFile({ world, bot, params }: Call): File {
  const botFileId = readString(params, 'file_id');
  if (botFileId === undefined) throw badRequest('file_id not specified');
  const file = world.files.find(fromBotFileId(bot.id, botFileId) ?? '');
  if (!file) throw badRequest('invalid file_id');
  if (file.sizeBytes > MAX_DOWNLOAD_BYTES && world.localDirectory === undefined) throw badRequest('file is too big');
  const bytes = world.files.read(file.id);
  if (!bytes) throw badRequest('wrong file_id or the file is temporarily unavailable');
  return {
    file_id: toBotFileId(bot.id, file.id),
    file_unique_id: file.uniqueId,
    file_size: file.sizeBytes,
    file_path: world.localDirectory === undefined ? file.path : putIntoFolder(world.localDirectory, file, bytes),
  };
}

/** Writes the file to disk, as a self-hosted Bot API server does with `--local`. */
function putIntoFolder(directory: string, file: StoredFile, bytes: Buffer): string {
  const path = resolve(directory, file.path);
  mkdirSync(dirname(path), { recursive: true });
  if (!existsSync(path)) writeFileSync(path, bytes);
  return path;
}

function getUserProfilePhotos({ world, params }: Call): UserProfilePhotos {
  const userId = readInteger(params, 'user_id');
  if (userId === undefined || !world.people.has(userId)) throw badRequest('user not found');
  return { total_count: 0, photos: [] };
}

/** Methods that download files. */
export const fileMethods: { readonly [method: string]: MethodHandler } = { getFile, getUserProfilePhotos };
