import { type DataUrl, readDataUrl } from '../../../lib/formats/data-url.ts';
import { boundPdfPages } from '../../../lib/formats/pdf-pages.ts';
import { isJsonObject, type JsonObject } from '../../../lib/json/json.ts';
import type { ChatRequest, ContentPart, Dialect, NativeRequest } from '../../models/index.ts';

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
  const sentTools = native?.body['tools'] ?? tools;
  const toolCount = Array.isArray(sentTools) ? sentTools.length : 0;
  let tokens = toolCount > 0 ? TOKENS_OF_TOOL_USE : 0;
  tokens += (messages.length + toolCount + 1) * TOKENS_PER_MESSAGE;
  tokens += native ? boundNative(native) : countBytes(tools) + countBytes(responseFormat);
  for (const { content, ...fields } of messages) {
    tokens += countBytes(fields);
    if (typeof content === 'string') tokens += Buffer.byteLength(content);
    else for (const part of content) tokens += boundPart(part, contextLength);
  }
  return tokens;
}

/** Fields of the dialects whose contents are translated to messages. */
const TRANSLATED_FIELDS: Readonly<Record<Dialect, ReadonlySet<string>>> = {
  'chat-completions': new Set(['model', 'messages']),
  completions: new Set(['model', 'prompt']),
  messages: new Set(['model', 'messages', 'system']),
  transcriptions: new Set(['model']),
};
/** Fields of a message of chat completions that are translated. */
const MESSAGE_FIELDS = new Set(['role', 'content', 'tool_calls', 'tool_call_id', 'reasoning_content']);
/** Blocks of Anthropic's that are translated in part or not at all. */
const THINKING = new Set<unknown>(['thinking', 'redacted_thinking']);

/**
 * Bounds what hosts of the dialect may add to the prompt beside the translated messages: tools that are not functions,
 * `functions`, other fields of messages.
 */
function boundNative({ body, dialect }: NativeRequest): number {
  const translated = TRANSLATED_FIELDS[dialect];
  const others = Object.entries(body).flatMap(([name, value]) =>
    translated.has(name) || typeof value === 'number' || typeof value === 'boolean' ? [] : [value],
  );
  const messages = (Array.isArray(body['messages']) ? body['messages'] : []).filter(isJsonObject);
  const untranslated = dialect === 'messages' ? messages.flatMap(listThinking) : messages.flatMap(listOtherFields);
  return countBytes(others) + countBytes(untranslated);
}

function listThinking({ content }: JsonObject): readonly unknown[] {
  return Array.isArray(content) ? content.filter((block) => isJsonObject(block) && THINKING.has(block['type'])) : [];
}

function listOtherFields(message: JsonObject): readonly unknown[] {
  return Object.entries(message).flatMap(([name, value]) => (MESSAGE_FIELDS.has(name) ? [] : [value]));
}

function boundPart(part: ContentPart, contextLength: number): number {
  if (part.type === 'text') return Buffer.byteLength(part.text);
  if (part.type === 'other') return countBytes(part.native);
  // Some hosts take other files as images, too.
  const isImage = part.type === 'image' && !/^data:/i.test(part.url);
  return isImage ? TOKENS_PER_IMAGE : Math.min(contextLength, boundFile(part.url));
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
