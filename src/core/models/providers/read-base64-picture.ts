import { type Picture, readPicture, UnreadablePictureError } from '../../images/index.ts';
import { ProviderUnavailableError } from '../model-errors.ts';

const MAX_PICTURE_BYTES = 64 * 1024 * 1024;

/**
 * The picture behind base64, with or without `data:image/…;base64,` before it, decoded to its last pixel.
 * @throws ProviderUnavailableError where it is no whole picture: another provider may have one.
 */
export async function readBase64Picture(provider: string, base64: unknown): Promise<Picture> {
  if (typeof base64 !== 'string')
    throw new ProviderUnavailableError(provider, `${provider} sent no picture`, { isBadAnswer: true });
  const digits = base64.startsWith('data:') ? base64.slice(base64.indexOf(',') + 1) : base64;
  if (digits.length > (MAX_PICTURE_BYTES / 3) * 4 + 4)
    throw new ProviderUnavailableError(provider, `${provider} sent a picture that is too large`, { isBadAnswer: true });
  return readPictureFile(provider, Buffer.from(digits, 'base64'));
}

/**
 * A picture from its file, decoded to its last pixel.
 * @throws ProviderUnavailableError where it is no whole picture: another provider may have one.
 */
export async function readPictureFile(provider: string, file: Buffer): Promise<Picture> {
  try {
    return await readPicture(file);
  } catch (error) {
    if (!(error instanceof UnreadablePictureError)) throw error;
    throw new ProviderUnavailableError(provider, `${provider} sent a picture that can't be read`, {
      isBadAnswer: true,
      cause: error,
    });
  }
}
