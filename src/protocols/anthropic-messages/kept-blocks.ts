import {
  type AssistantMessage,
  type Content,
  listTexts,
  type UnknownFields,
} from '../../core/models/contract/chat-request.ts';
import { isJsonObject, type JsonObject } from '../../lib/json/json.ts';
import { toTextBlocks } from './request/print-blocks.ts';
import { isForeignThinking } from './vendor-rules.ts';

/**
 * The Messages API requires the thinking of an answer with tool calls in the next request: every block unchanged, and
 * all blocks in their order. The first tool call carries them in its native fields. Texts and calls are only
 * placeholders there, because the message has them already.
 */
interface KeptField {
  readonly extra_content: { readonly anthropic: { readonly content: readonly JsonObject[] } };
}

const THINKING_TYPES: readonly unknown[] = ['thinking', 'redacted_thinking'];

/** Returns native fields for the first tool call of an answer, or undefined if the answer has no thinking. */
export function keepBlocks(kept: readonly JsonObject[]): (UnknownFields & KeptField) | undefined {
  if (!kept.some(({ type }) => THINKING_TYPES.includes(type))) return undefined;
  return { extra_content: { anthropic: { content: kept } } };
}

/** Returns what is kept of a block; undefined for blocks of the host's own tools, which are not sent back. */
export function toKeptBlock(block: JsonObject): JsonObject | undefined {
  if (THINKING_TYPES.includes(block.type)) return { ...block };
  if (block.type === 'tool_use') return { type: 'tool_use' };
  return block.type === 'text' ? { type: 'text', length: String(block.text ?? '').length } : undefined;
}

/**
 * Returns the blocks of an answer in their original order, with its thinking. Returns undefined if the message has no
 * thinking, or was changed since.
 * @param calls the `tool_use` blocks of the message.
 * @param keepsForeignThinking as for `toAcceptedBody`. Otherwise an answer with such thinking has none.
 */
export function restoreBlocks(
  { content, toolCalls }: AssistantMessage,
  calls: readonly JsonObject[],
  keepsForeignThinking: boolean,
): readonly JsonObject[] | undefined {
  const kept = readKept(toolCalls?.[0]?.native);
  const text = readText(content);
  if (!kept || text === undefined || (!keepsForeignThinking && kept.some(isForeignThinking))) return undefined;
  let keptLength = kept.reduce((sum, { type, length }) => sum + (type === 'text' ? Number(length) : 0), 0);
  let textLength = 0;
  let callCount = 0;
  const blocks: JsonObject[] = [];
  for (const block of kept) {
    if (THINKING_TYPES.includes(block.type)) blocks.push(block);
    if (block.type === 'text' && typeof block.length === 'number') {
      // Other dialects divide paragraphs where this one has blocks.
      const isLonger = text.length - textLength > keptLength;
      if (textLength > 0 && isLonger && text.startsWith(PARAGRAPH, textLength)) textLength += PARAGRAPH.length;
      keptLength -= block.length;
      blocks.push(...toTextBlocks(text.slice(textLength, textLength + block.length)));
      textLength += block.length;
    }
    if (block.type === 'tool_use') {
      blocks.push(...calls.slice(callCount, callCount + 1));
      callCount += 1;
    }
  }
  return textLength === text.length && callCount === calls.length ? blocks : undefined;
}

const PARAGRAPH = '\n\n';

/** Returns undefined if there are other parts than texts. */
function readText(content: Content): string | undefined {
  if (typeof content === 'string') return content;
  return content.every(({ type }) => type === 'text') ? listTexts(content).join('') : undefined;
}

function readKept(native: UnknownFields | undefined): readonly JsonObject[] | undefined {
  const extra = native?.['extra_content'];
  const anthropic = isJsonObject(extra) ? extra.anthropic : undefined;
  const content = isJsonObject(anthropic) ? anthropic.content : undefined;
  return Array.isArray(content) ? content.filter(isJsonObject) : undefined;
}
