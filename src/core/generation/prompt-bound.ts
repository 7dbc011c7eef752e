import type { ChatRequest, ContentPart } from '../models/index.ts';

/**
 * Tokens of the protocol for each message and tool, and of the instructions that hosts add if there are tools. Both are
 * generous.
 */
export const TOKENS_PER_MESSAGE = 16;
const TOKENS_OF_TOOL_USE = 1024;
/** Most models count at most 5000 tokens for an image, whatever its size. */
export const TOKENS_PER_IMAGE = 8192;
/** A document of about 20 pages, read as text and as images. */
const TOKENS_PER_FILE = 65_536;

/**
 * Returns the most tokens that a prompt can have. For texts that is the number of their bytes in UTF-8: measured with
 * hostile texts, no smaller bound held for every tokenizer. English has about a quarter of it.
 */
export function boundPromptTokens({ messages, tools = [], responseFormat, native }: ChatRequest): number {
  let tokens = tools.length > 0 ? TOKENS_OF_TOOL_USE : 0;
  tokens += (messages.length + tools.length + 1) * TOKENS_PER_MESSAGE;
  tokens += countBytes(tools) + countBytes(responseFormat) + countBytes(listOtherFields(native));
  for (const { content, ...fields } of messages) {
    tokens += countBytes(fields);
    if (typeof content === 'string') tokens += Buffer.byteLength(content);
    else for (const part of content) tokens += boundPart(part);
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

function boundPart(part: ContentPart): number {
  if (part.type === 'text') return Buffer.byteLength(part.text);
  if (part.type === 'image') return TOKENS_PER_IMAGE;
  return part.type === 'file' ? TOKENS_PER_FILE : countBytes(part.native);
}

/** Returns the bytes of all texts and field names in a value, and a few for each number. */
function countBytes(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + countBytes(item) + 2, 0);
  if (typeof value !== 'object' || value === null) return 8;
  return Object.entries(value).reduce((sum, [name, item]) => sum + Buffer.byteLength(name) + countBytes(item) + 6, 0);
}
