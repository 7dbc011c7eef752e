import { type DataUrl, readDataUrl } from '../../lib/data-url.ts';
import { boundPdfPages } from '../../lib/pdf-pages.ts';
import type { ChatRequest, ContentPart } from '../models/index.ts';

/**
 * Tokens of the protocol for each message and tool, and of the instructions that hosts add if there are tools. Both are
 * generous.
 */
export const TOKENS_PER_MESSAGE = 16;
const TOKENS_OF_TOOL_USE = 1024;
/** Most models count at most 5000 tokens for an image, whatever its size. */
export const TOKENS_PER_IMAGE = 8192;
/** Hosts count the text of a page and its image. */
const TOKENS_PER_PAGE = 8192;
/** A file of unknown length fills the context. */
const MOST_FILE_TOKENS = 1_000_000;
const USUAL_FILE_TOKENS = 10_000;
const USUAL_TOKENS_PER_PAGE = 2500;
const PDF = 'application/pdf';

/**
 * Returns the most tokens that a prompt can have. For texts that is the number of their bytes in UTF-8: measured with
 * hostile texts, no smaller bound held for every tokenizer. English has about a quarter of it.
 * @param contextLength tokens that the model accepts, if known: the bound of each file.
 */
export function boundPromptTokens(
  { messages, tools = [], responseFormat, native }: ChatRequest,
  contextLength = MOST_FILE_TOKENS,
): number {
  let tokens = tools.length > 0 ? TOKENS_OF_TOOL_USE : 0;
  tokens += (messages.length + tools.length + 1) * TOKENS_PER_MESSAGE;
  tokens += countBytes(tools) + countBytes(responseFormat) + countBytes(listOtherFields(native));
  for (const { content, ...fields } of messages) {
    tokens += countBytes(fields);
    if (typeof content === 'string') tokens += Buffer.byteLength(content);
    else for (const part of content) tokens += boundPart(part, contextLength);
  }
  return tokens;
}

/** Fields of the dialects that `ChatRequest` names. */
const NAMED_FIELDS = new Set(['model', 'messages', 'system', 'prompt', 'tools', 'response_format', 'output_config']);

/** Returns the other fields of the client's request: hosts add some of them to the prompt, such as `functions`. */
function listOtherFields(
  { body }: Pick<NonNullable<ChatRequest['native']>, 'body'> = { body: {} },
): readonly unknown[] {
  return Object.entries(body).flatMap(([name, value]) =>
    NAMED_FIELDS.has(name) || typeof value === 'number' || typeof value === 'boolean' ? [] : [value],
  );
}

function boundPart(part: ContentPart, contextLength: number): number {
  if (part.type === 'text') return Buffer.byteLength(part.text);
  if (part.type === 'image') return TOKENS_PER_IMAGE;
  return part.type === 'file' ? Math.min(contextLength, boundFile(part.url)) : countBytes(part.native);
}

function boundFile(url: string): number {
  const file = readDataUrl(url);
  if (!file) return MOST_FILE_TOKENS;
  if (file.mediaType.startsWith('image/')) return TOKENS_PER_IMAGE;
  const pageCount = countPages(file);
  if (pageCount !== undefined) return pageCount * TOKENS_PER_PAGE;
  return file.mediaType === PDF ? MOST_FILE_TOKENS : Buffer.byteLength(file.base64, 'base64');
}

/** Returns the most pages that a file can have; undefined if it is no PDF, or if they can't be counted. */
function countPages({ mediaType, base64 }: DataUrl): number | undefined {
  return mediaType === PDF ? boundPdfPages(Buffer.from(base64, 'base64')) : undefined;
}

/** Returns the tokens that hosts usually count for a file. */
export function estimateFileTokens(url: string): number {
  const file = readDataUrl(url);
  const pageCount = file && countPages(file);
  return pageCount === undefined ? USUAL_FILE_TOKENS : pageCount * USUAL_TOKENS_PER_PAGE;
}

/** Returns the bytes of all texts and field names in a value, and a few for each number. */
function countBytes(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + countBytes(item) + 2, 0);
  if (typeof value !== 'object' || value === null) return 8;
  return Object.entries(value).reduce((sum, [name, item]) => sum + Buffer.byteLength(name) + countBytes(item) + 6, 0);
}
