import { z } from 'zod';
import type { Content, ContentPart } from '../../../core/models/contract/chat-request.ts';
import { readDataUrl } from '../../../lib/formats/data-url.ts';
import { isJsonObject } from '../../../lib/json/json.ts';
import { checkFields, listNames } from '../../fields/check-fields.ts';
import { isBase64 } from '../../fields/is-base64.ts';
import { invalidRequest } from '../../http-error.ts';

const textSchema = z.looseObject({ text: z.string('must be a string') });
const refusalSchema = z.looseObject({ refusal: z.string('must be a string') });
const imageSchema = z.looseObject({
  image_url: z.string('must be an address or a data: URL; stored files are not supported'),
  detail: z.string('must be a string').nullish(),
});
const fileSchema = z.looseObject({
  file_data: z.string('must be a data: URL').nullish(),
  file_url: z.string('must be an address').nullish(),
  filename: z.string('must be a string').nullish(),
});

type Reader = (part: unknown, path: string) => ContentPart;

const readText: Reader = (part, path) => ({ type: 'text', text: checkFields(textSchema, part, path).text });

const readRefusal: Reader = (part, path) => ({ type: 'text', text: checkFields(refusalSchema, part, path).refusal });

const readImage: Reader = (part, path) => {
  const { image_url: url, detail } = checkFields(imageSchema, part, path);
  checkUrl(url, `${path}.image_url`);
  return { type: 'image', url, ...(detail ? { detail } : {}) };
};

const readFile: Reader = (part, path) => {
  const { file_data: data, file_url: address, filename } = checkFields(fileSchema, part, path);
  const url = data ?? address ?? undefined;
  if (url === undefined) {
    const message = `'${path}' must have 'file_data' or 'file_url'; stored files are not supported.`;
    throw invalidRequest(message, path);
  }
  checkUrl(url, `${path}.${typeof data === 'string' ? 'file_data' : 'file_url'}`);
  return { type: 'file', url, name: filename ?? undefined };
};

const TEXT_READERS = { input_text: readText, output_text: readText, text: readText };
const READERS = { ...TEXT_READERS, refusal: readRefusal, input_image: readImage, input_file: readFile };

/** Reads the content of a message or of a tool result: a text, or a list of parts. @throws HttpError 400 */
export function readContent(content: unknown, path: string): Content {
  return typeof content === 'string' ? content : simplify(readList(content, path, READERS));
}

/** Reads content that must be text, and joins its parts. @throws HttpError 400 */
export function readTextContent(content: unknown, path: string): string {
  if (typeof content === 'string') return content;
  const parts = readList(content, path, { ...TEXT_READERS, refusal: readRefusal });
  return parts.map((part) => (part.type === 'text' ? part.text : '')).join('\n\n');
}

function readList(content: unknown, path: string, readers: Readonly<Record<string, Reader>>): readonly ContentPart[] {
  if (!Array.isArray(content)) throw invalidRequest(`'${path}' must be a string or a list of content parts.`, path);
  return content.map((part, index) => {
    const type = isJsonObject(part) ? part['type'] : undefined;
    const read = typeof type === 'string' && Object.hasOwn(readers, type) ? readers[type] : undefined;
    const at = `${path}[${index}]`;
    if (read) return read(part, at);
    throw invalidRequest(`'${at}.type' must be one of ${listNames(Object.keys(readers))}.`, `${at}.type`);
  });
}

/** Returns a single text as a string, because some hosts accept only strings. */
function simplify(parts: readonly ContentPart[]): Content {
  const [first, ...others] = parts;
  return first?.type === 'text' && others.length === 0 ? first.text : parts;
}

const ADDRESS = /^https?:\/\/\S/i;

function checkUrl(url: string, path: string): void {
  if (ADDRESS.test(url)) return;
  const file = readDataUrl(url);
  if (!file) throw invalidRequest(`'${path}' must be an http(s): address or begin with data:<type>;base64,.`, path);
  if (!isBase64(file.base64)) throw invalidRequest(`'${path}' is not valid base64.`, path);
}
