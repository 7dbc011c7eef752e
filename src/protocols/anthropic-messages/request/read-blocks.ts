import { z } from 'zod';
import type { Cached, ContentPart } from '../../../core/models/contract/chat-request.ts';
import { isJsonObject, type JsonObject } from '../../../lib/json/json.ts';
import { checkFields } from '../../fields/check-fields.ts';
import { isBase64 } from '../../fields/is-base64.ts';
import { invalidRequest } from '../../http-error.ts';
import type { TranslationProblems } from './untranslatable.ts';

/** A content block with its path in the request, which names it in errors. */
export interface BlockPlace {
  readonly path: string;
  readonly problems: TranslationProblems;
}

const MAX_TITLE_CHARACTERS = 10_000;
const stringSchema = z.string('must be a string');
const titleSchema = stringSchema.max(MAX_TITLE_CHARACTERS, `must have at most ${MAX_TITLE_CHARACTERS} characters`);
const textSchema = z.looseObject({ text: stringSchema });
const sourceSchema = z.looseObject({ type: stringSchema }, 'must be an object with "type"');
const withSource = z.looseObject({ source: sourceSchema });

/** Fields that are translated, or that do not change the answer. */
const KNOWN = {
  text: new Set(['type', 'text', 'cache_control', 'citations']),
  image: new Set(['type', 'source', 'cache_control']),
  document: new Set(['type', 'source', 'title', 'context', 'cache_control', 'citations']),
  search_result: new Set(['type', 'source', 'title', 'content', 'cache_control', 'citations']),
};

/**
 * Reads a block of text, an image, a document or a search result. Returns undefined for other types.
 * @throws HttpError 400 that names the invalid field.
 */
export function readPart(block: JsonObject, place: BlockPlace): readonly ContentPart[] | undefined {
  const { type } = block;
  if (type !== 'text' && type !== 'image' && type !== 'document' && type !== 'search_result') return undefined;
  addUnknown(block, type, place);
  const parts = readKnownPart(block, type, place);
  const { cacheControl } = readCached(block);
  const last = parts.at(-1);
  return cacheControl && last ? parts.with(-1, { ...last, cacheControl }) : parts;
}

function readKnownPart(block: JsonObject, type: keyof typeof KNOWN, place: BlockPlace): readonly ContentPart[] {
  switch (type) {
    case 'text':
      return [{ type: 'text', text: checkFields(textSchema, block, place.path).text }];
    case 'image':
      return readImage(block, place);
    case 'document':
      return readDocument(block, place);
    case 'search_result':
      return [readSearchResult(block, place)];
  }
}

/** Reads where a cache may end, for hosts of other protocols that have it too. */
export function readCached({ cache_control: cacheControl }: JsonObject): Cached {
  return isJsonObject(cacheControl) ? { cacheControl } : {};
}

/** Citations of a request are settings of the answer, except those of earlier texts. */
function addUnknown(block: JsonObject, type: keyof typeof KNOWN, { path, problems }: BlockPlace): void {
  problems.addUnknown(block, KNOWN[type], `${path}.`);
  const { citations } = block;
  if (isJsonObject(citations) && citations.enabled === true) problems.addUnsupported(`${path}.citations`);
}

/** Limit of one image. Anthropic's own is lower for some models. */
const MAX_IMAGE_BYTES = 10 * 1024 * 1024;
const IMAGE_TYPES = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'] as const;
const urlSchema = z.looseObject({ url: z.string().regex(/^https?:\/\/\S/i, 'must be an http or https address') });

function readImage(block: JsonObject, { path, problems }: BlockPlace): readonly ContentPart[] {
  const { source } = checkFields(withSource, block, path);
  const at = `${path}.source`;
  switch (source.type) {
    case 'base64':
      return [{ type: 'image', url: toDataUrl(source, at, IMAGE_TYPES, MAX_IMAGE_BYTES) }];
    case 'url':
      return [{ type: 'image', url: checkFields(urlSchema, source, at).url }];
    default:
      problems.addUnsupported(`${at}.type`, source.type);
      return [];
  }
}

const dataSchema = z.looseObject({ data: stringSchema, media_type: stringSchema });
const documentSchema = withSource.extend({ title: titleSchema.nullish(), context: stringSchema.nullish() });

function readDocument(block: JsonObject, place: BlockPlace): readonly ContentPart[] {
  const { source, title, context } = checkFields(documentSchema, block, place.path);
  const at = `${place.path}.source`;
  const name = toOneLine(title ?? 'document');
  const parts: ContentPart[] = context ? [{ type: 'text', text: context }] : [];
  switch (source.type) {
    case 'base64':
      return [...parts, { type: 'file', url: toDataUrl(source, at, ['application/pdf']), name: toPdfName(name) }];
    case 'url':
      return [...parts, { type: 'file', url: checkFields(urlSchema, source, at).url, name: toPdfName(name) }];
    case 'text':
      return [...parts, toDocumentText(name, checkFields(dataSchema, source, at).data)];
    case 'content':
      return [...parts, ...readDocumentContent(source, name, { ...place, path: at })];
    default:
      place.problems.addUnsupported(`${at}.type`, source.type);
      return [];
  }
}

const contentSchema = z.looseObject({
  content: z.union(
    [z.string(), z.array(z.looseObject({ type: z.enum(['text', 'image']) }))],
    'must be a string or a list of blocks of type text and image',
  ),
});

function readDocumentContent(source: JsonObject, name: string, place: BlockPlace): readonly ContentPart[] {
  const { content } = checkFields(contentSchema, source, place.path);
  if (typeof content === 'string') return [toDocumentText(name, content)];
  const parts = content.flatMap((block, index) => {
    return readPart(block, { ...place, path: `${place.path}.content[${index}]` }) ?? [];
  });
  return [{ type: 'text', text: `<document name="${name}">` }, ...parts, { type: 'text', text: '</document>' }];
}

function toDocumentText(name: string, text: string): ContentPart {
  return { type: 'text', text: `<document name="${name}">\n${text}\n</document>` };
}

const resultSchema = z.looseObject({
  source: titleSchema,
  title: titleSchema,
  content: z.array(textSchema, 'must be a list of text blocks'),
});

function readSearchResult(block: JsonObject, { path }: BlockPlace): ContentPart {
  const { source, title, content } = checkFields(resultSchema, block, path);
  const text = content.map((part) => part.text).join('\n');
  const attributes = `source="${toOneLine(source)}" title="${toOneLine(title)}"`;
  return { type: 'text', text: `<search_result ${attributes}>\n${text}\n</search_result>` };
}

function toOneLine(text: string): string {
  return text.replaceAll(/[\r\n"]/g, ' ').trim();
}

function toPdfName(name: string): string {
  return name.toLowerCase().endsWith('.pdf') ? name : `${name}.pdf`;
}

function toDataUrl(source: JsonObject, path: string, types: readonly string[], maxBytes = Number.POSITIVE_INFINITY) {
  const { data, media_type: mediaType } = checkFields(dataSchema, source, path);
  if (!types.includes(mediaType)) {
    throw invalidRequest(`'${path}.media_type' must be ${types.join(', ')}.`, `${path}.media_type`);
  }
  if (!isBase64(data)) throw invalidRequest(`'${path}.data' must be base64.`, `${path}.data`);
  if (Buffer.byteLength(data, 'base64') > maxBytes) {
    throw invalidRequest(`'${path}.data' must not be larger than ${maxBytes / 2 ** 20} MiB.`, `${path}.data`);
  }
  return `data:${mediaType};base64,${data}`;
}
