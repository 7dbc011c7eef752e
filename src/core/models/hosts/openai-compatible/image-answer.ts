import type { Download } from '../../../../lib/http/public-fetch.ts';
import { isJsonObject } from '../../../../lib/json/json.ts';
import { findImage } from '../../../../protocols/openai-media/images/image-entries.ts';
import type { DrawnImage } from '../../contract/image-model.ts';
import { ProviderError, ProviderUnavailableError } from '../../contract/model-errors.ts';
import { readBase64Image, readImageFile } from '../read-base64-image.ts';

export interface ImageAnswerDeps {
  readonly provider: string;
  readonly download: Download;
}

const MAX_IMAGE_BYTES = 64 * 1024 * 1024;
const MAX_IMAGES_BYTES = 256 * 1024 * 1024;
const DOWNLOAD_MS = 60_000;

/**
 * Downloads and decodes the images of a response. Skips invalid images if at least one is valid.
 * @throws ProviderUnavailableError if none is valid, so another provider may be tried; the signal's reason.
 */
export async function readImages(
  deps: ImageAnswerDeps,
  entries: readonly unknown[],
  signal: AbortSignal,
): Promise<readonly DrawnImage[]> {
  if (entries.length === 0)
    throw new ProviderUnavailableError(deps.provider, `${deps.provider} sent no image`, { isBadAnswer: true });
  const maxBytes = Math.min(MAX_IMAGE_BYTES, Math.floor(MAX_IMAGES_BYTES / entries.length));
  const read = await Promise.allSettled(entries.map((entry) => readEntry(deps, entry, maxBytes, signal)));
  signal.throwIfAborted();
  const images = read.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  if (images.length > 0) return images;
  const failed = read.find((result) => result.status === 'rejected');
  throw failed?.reason;
}

async function readEntry(
  deps: ImageAnswerDeps,
  entry: unknown,
  maxBytes: number,
  signal: AbortSignal,
): Promise<DrawnImage> {
  const { provider } = deps;
  const where = findImage(entry);
  if (where === undefined)
    throw new ProviderUnavailableError(provider, `${provider} sent no image`, { isBadAnswer: true });
  const image = /^https?:\/\//i.test(where)
    ? await readImageFile(provider, await downloadImage(deps, where, maxBytes, signal))
    : await readBase64Image(provider, where);
  const { seed, revised_prompt: revisedPrompt } = isJsonObject(entry) ? entry : {};
  return {
    ...image,
    seed: toSeed(seed),
    revisedPrompt: typeof revisedPrompt === 'string' && revisedPrompt !== '' ? revisedPrompt : undefined,
  };
}

/** Returns the seed if it is in the range that requests accept; hosts also report larger ones. */
export function toSeed(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < 2 ** 31 ? value : undefined;
}

async function downloadImage(
  { provider, download }: ImageAnswerDeps,
  url: string,
  maxBytes: number,
  signal: AbortSignal,
): Promise<Buffer> {
  try {
    return await download(url, { maxBytes, timeoutMs: DOWNLOAD_MS, signal });
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (error instanceof ProviderError) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw new ProviderUnavailableError(
      provider,
      `${provider} sent the address of an image that can't be downloaded: ${why}`,
      { isBadAnswer: true, cause: error },
    );
  }
}
