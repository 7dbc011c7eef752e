import { InputFile } from 'grammy';
import { convertPicture, limitPicture, type Picture } from '../../../core/images/index.ts';

/** A picture file under a name. */
export type NamedPicture = Pick<Picture, 'bytes' | 'format'> & { readonly name: string };

const MB = 1024 * 1024;
/** What one upload to Telegram's hosted server may hold in all: 50 MB, and the words around the files. */
export const MAX_UPLOAD_BYTES = 49 * MB;
/** sendPhoto: 10 MB, sides of 10 000 together, one at most 20 times the other. */
const PHOTO_LIMITS = { maxBytes: 10 * MB - 4096, maxSideSum: 10_000, maxRatio: 20 };

/** The picture as Telegram takes it for a photo, one of `count` in the same upload. */
export async function toPhotoFile(picture: Picture & NamedPicture, count = 1): Promise<InputFile> {
  const maxBytes = Math.min(PHOTO_LIMITS.maxBytes, Math.floor(MAX_UPLOAD_BYTES / count));
  // Telegram makes stickers of WebP files here and there.
  const common = picture.format === 'webp' ? await convertPicture(picture, 'jpeg') : picture;
  const limited = await limitPicture(common, { ...PHOTO_LIMITS, maxBytes });
  return toFile({ ...picture, ...limited });
}

export function toFile({ bytes, format, name }: NamedPicture): InputFile {
  return new InputFile(bytes, `${name}.${format === 'jpeg' ? 'jpg' : format}`);
}

const MAX_NAME_CHARACTERS = 40;

/** A file name of the prompt's first words, without its ending. `number` tells several apart. */
export function toPictureName(prompt: string, number?: number): string {
  const words = prompt.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  let name = '';
  for (const word of words) {
    if ([...name, '-', ...word].length > MAX_NAME_CHARACTERS) break;
    name += name === '' ? word : `-${word}`;
  }
  return [name || 'picture', ...(number === undefined ? [] : [number])].join('-');
}
