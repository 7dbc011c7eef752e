import { type Image, readImage, UnreadableImageError } from '../../images/index.ts';
import { ProviderUnavailableError } from '../contract/model-errors.ts';

const MAX_IMAGE_BYTES = 64 * 1024 * 1024;

/**
 * Decodes an image completely from base64, with or without the prefix `data:image/…;base64,`.
 * @throws ProviderUnavailableError if the image is invalid, so another provider may be tried.
 */
export async function readBase64Image(provider: string, base64: unknown): Promise<Image> {
  if (typeof base64 !== 'string')
    throw new ProviderUnavailableError(provider, `${provider} sent no image`, { isBadAnswer: true });
  const digits = base64.startsWith('data:') ? base64.slice(base64.indexOf(',') + 1) : base64;
  if (digits.length > (MAX_IMAGE_BYTES / 3) * 4 + 4)
    throw new ProviderUnavailableError(provider, `${provider} sent an image that is too large`, { isBadAnswer: true });
  return readImageFile(provider, Buffer.from(digits, 'base64'));
}

/**
 * Decodes an image file completely.
 * @throws ProviderUnavailableError if the image is invalid, so another provider may be tried.
 */
export async function readImageFile(provider: string, file: Buffer): Promise<Image> {
  try {
    return await readImage(file);
  } catch (error) {
    if (!(error instanceof UnreadableImageError)) throw error;
    throw new ProviderUnavailableError(provider, `${provider} sent an image that can't be read`, {
      isBadAnswer: true,
      cause: error,
    });
  }
}
