import type { Content, ContentPart } from '../../../core/models/contract/chat-request.ts';
import { UntranslatableError } from '../../../core/models/contract/model-errors.ts';
import { readDataUrl } from '../../../lib/formats/data-url.ts';
import type { JsonObject } from '../../../lib/json/json.ts';
import { isWhite } from '../vendor-rules.ts';

/**
 * Converts content to blocks of the Messages API. Leaves out texts of white space alone, which the API refuses.
 * @throws UntranslatableError
 */
export function toBlocks(content: Content): readonly JsonObject[] {
  return typeof content === 'string' ? toTextBlocks(content) : content.flatMap(toBlocksOfPart);
}

/** Returns a text as a list of blocks; a text of white space alone has none. */
export function toTextBlocks(text: string): readonly JsonObject[] {
  return isWhite(text) ? [] : [{ type: 'text', text }];
}

function toBlocksOfPart(part: ContentPart): readonly JsonObject[] {
  return toPlainBlocks(part).map((block) => withCacheControl(block, part.cacheControl));
}

/** Adds where a cache may end. */
export function withCacheControl(block: JsonObject, cacheControl: unknown): JsonObject {
  return cacheControl === undefined ? block : { ...block, cache_control: cacheControl };
}

function toPlainBlocks(part: ContentPart): readonly JsonObject[] {
  switch (part.type) {
    case 'text':
      return toTextBlocks(part.text);
    case 'image':
      return [{ type: 'image', source: toSource(part.url) }];
    case 'file':
      return [toDocument(part)];
    case 'other':
      return toBlocksOfOther(part.native);
  }
}

/** Chat completions have a part for a refusal in an earlier answer. Here it is text. */
function toBlocksOfOther({ type, refusal }: JsonObject): readonly JsonObject[] {
  if (type === 'refusal' && typeof refusal === 'string') return toTextBlocks(refusal);
  throw new UntranslatableError('messages', `must not have content parts of type '${String(type)}' with this model`);
}

function toDocument({ url, name }: Extract<ContentPart, { readonly type: 'file' }>): JsonObject {
  const { mediaType } = readDataUrl(url) ?? {};
  if (mediaType?.startsWith('image/')) return { type: 'image', source: toSource(url) };
  return { type: 'document', source: toDocumentSource(url), ...(name ? { title: name } : {}) };
}

function toDocumentSource(url: string): JsonObject {
  const file = readDataUrl(url);
  if (!file || file.mediaType === 'application/pdf') return toSource(url);
  if (!isText(file.mediaType)) {
    const problem = `must not have files of type '${file.mediaType}' with this model: only PDF, text and images`;
    throw new UntranslatableError('messages', problem);
  }
  return { type: 'text', media_type: 'text/plain', data: Buffer.from(file.base64, 'base64').toString('utf8') };
}

function isText(mediaType: string): boolean {
  return mediaType.startsWith('text/') || mediaType === 'application/json';
}

function toSource(url: string): JsonObject {
  if (/^https?:/i.test(url)) return { type: 'url', url };
  const file = readDataUrl(url);
  if (file) return { type: 'base64', media_type: file.mediaType, data: file.base64 };
  throw new UntranslatableError('messages', 'must have images and files as web addresses or data URLs in base64');
}
