import type { Download } from '../../../../lib/http/public-fetch.ts';
import { isJsonObject, type JsonObject } from '../../../../lib/json/json.ts';
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

/** Returns the entries of an images response: OpenAI's `data`, SiliconFlow's `images`. */
export function listImageEntries(answer: JsonObject): readonly unknown[] {
  const lists = [answer.data, answer.images].filter((list) => Array.isArray(list));
  return lists.find((list) => list.length > 0) ?? [];
}

const NO_IMAGES: readonly unknown[] = [];

/** Returns the entries of images in a message or delta: OpenRouter's `images`, and content parts. */
export function listMessageImages({ images, content }: JsonObject): readonly unknown[] {
  if (images === undefined && !Array.isArray(content)) return NO_IMAGES;
  const parts = Array.isArray(content) ? content.filter(isImagePart) : [];
  return Array.isArray(images) ? [...images, ...parts] : parts;
}

function isImagePart(part: unknown): boolean {
  return isJsonObject(part) && (/image/.test(String(part.type)) || 'inline_data' in part || 'inlineData' in part);
}

/** Returns the data URL or address of an entry; undefined if it has no image. */
export function toImageUrl(entry: unknown): string | undefined {
  const found = findImage(entry);
  return found === undefined || /^(?:https?:\/\/|data:)/i.test(found) ? found : `data:image/png;base64,${found}`;
}

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

/**
 * Finds base64, a data URL or a web address in an entry: `b64_json`, `url`, a bare string, the `image_url` of chat
 * completions, the inline data of Google's API.
 */
function findImage(entry: unknown): string | undefined {
  if (typeof entry === 'string') return entry === '' ? undefined : entry;
  if (!isJsonObject(entry)) return undefined;
  const inline = [entry.inline_data, entry.inlineData].find(isJsonObject);
  const imageUrl = isJsonObject(entry.image_url) ? entry.image_url.url : entry.image_url;
  return [entry.b64_json, entry.base64, entry.b64, entry.url, imageUrl, inline?.data, entry.image].find(
    (value) => typeof value === 'string' && value !== '',
  ) as string | undefined;
}
