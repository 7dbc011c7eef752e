import { isJsonObject, type JsonObject } from '../../../lib/json/json.ts';

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
 * Finds base64, a data URL or a web address in an entry: `b64_json`, `url`, a bare string, the `image_url` of chat
 * completions, the inline data of Google's API.
 */
export function findImage(entry: unknown): string | undefined {
  if (typeof entry === 'string') return entry === '' ? undefined : entry;
  if (!isJsonObject(entry)) return undefined;
  const inline = [entry.inline_data, entry.inlineData].find(isJsonObject);
  const imageUrl = isJsonObject(entry.image_url) ? entry.image_url.url : entry.image_url;
  return [entry.b64_json, entry.base64, entry.b64, entry.url, imageUrl, inline?.data, entry.image].find(
    (value) => typeof value === 'string' && value !== '',
  ) as string | undefined;
}
