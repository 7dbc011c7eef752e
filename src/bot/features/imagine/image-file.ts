import { InputFile } from 'grammy';
import { convertImage, type Image, limitImage } from '../../../core/images/index.ts';

/** Image file with a name. */
export type NamedImage = Pick<Image, 'bytes' | 'format'> & { readonly name: string };

const MB = 1024 * 1024;
/** Telegram's limit for one upload to its hosted server is 50 MB; the rest is for the other form fields. */
export const MAX_UPLOAD_BYTES = 49 * MB;
/** Limits of `sendPhoto`: 10 MB, a sum of sides of 10 000, and a ratio of sides of 20. */
const PHOTO_LIMITS = { maxBytes: 10 * MB - 4096, maxSideSum: 10_000, maxRatio: 20 };

/** Converts the image to a form that Telegram accepts as photo, one of `count` in the same upload. */
export async function toPhotoFile(image: Image & NamedImage, count = 1): Promise<InputFile> {
  const maxBytes = Math.min(PHOTO_LIMITS.maxBytes, Math.floor(MAX_UPLOAD_BYTES / count));
  // Telegram shows some WebP files as stickers.
  const common = image.format === 'webp' ? await convertImage(image, 'jpeg') : image;
  const limited = await limitImage(common, { ...PHOTO_LIMITS, maxBytes });
  return toFile({ ...image, ...limited });
}

export function toFile({ bytes, format, name }: NamedImage): InputFile {
  return new InputFile(bytes, `${name}.${format === 'jpeg' ? 'jpg' : format}`);
}

const MAX_NAME_CHARACTERS = 40;

/** Returns a file name without extension from the prompt's first words. `number` distinguishes several images. */
export function toImageName(prompt: string, number?: number): string {
  const words = prompt.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  let name = '';
  for (const word of words) {
    if ([...name, '-', ...word].length > MAX_NAME_CHARACTERS) break;
    name += name === '' ? word : `-${word}`;
  }
  return [name || 'picture', ...(number === undefined ? [] : [number])].join('-');
}
