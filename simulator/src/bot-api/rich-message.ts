import type { RichBlock } from '@grammyjs/types';
import { badRequest } from '../api-error.ts';
import type { RichSource } from '../control-protocol.ts';
import { parseRichMarkdown } from '../formatting/parse-rich-markdown.ts';
import { isJsonObject, type JsonObject } from '../json.ts';
import type { MessageContent } from '../world/messages.ts';
import type { Call } from './call.ts';
import { checkRichBlocks } from './check-rich-blocks.ts';
import { readBoolean, readObject, readString } from './params.ts';

/** Limits from "Rich Message Limits" of the Bot API. */
const MAX_CHARACTERS = 32_768;
const MAX_BLOCKS = 500;
const MAX_DEPTH = 16;
const MAX_COLUMNS = 20;
const EMPTY = 'rich message must be non-empty';

export interface RichMessageContent {
  readonly content: MessageContent & { readonly rich_message: { readonly blocks: RichBlock[] } };
  readonly richSource: RichSource;
}

/**
 * Reads `rich_message`. Markdown and HTML become blocks by the simulator's own, simpler parsers; given blocks are kept
 * as they are.
 * "Thinking…" blocks are allowed in drafts only. The limits are Telegram's, the wording of their errors is not.
 * @throws ApiError 400
 */
export function readRichMessage(call: Call, purpose: 'message' | 'draft'): RichMessageContent {
  const input = readObject(call.params, 'rich_message');
  if (!input) throw badRequest(EMPTY);
  // Servers of Bot API 10.1 ignore the unknown field `blocks`.
  const richSource = readSource(call.world.botApiVersion === '10.1' ? { ...input, blocks: undefined } : input);
  const blocks = toBlocks(richSource);
  if (blocks.length === 0) throw badRequest(EMPTY);
  checkLimits(blocks);
  if (purpose === 'message' && hasType(blocks, 'thinking'))
    throw badRequest('thinking blocks are allowed only in drafts');
  return {
    content: { rich_message: { blocks, ...(readBoolean(input, 'is_rtl') ? { is_rtl: true } : {}) } },
    richSource,
  };
}

function readSource(input: JsonObject): RichSource {
  const markdown = readString(input, 'markdown');
  const html = readString(input, 'html');
  const blocks = input.blocks;
  const sourceCount = [markdown, html, blocks].filter((source) => source !== undefined).length;
  if (sourceCount === 0) throw badRequest(EMPTY);
  if (sourceCount > 1) {
    throw badRequest('exactly one of the fields html, markdown, or blocks must be specified in a rich message');
  }
  if (Array.isArray(input.media) && input.media.length > 0) refuseMedia();
  if (markdown !== undefined) return { markdown };
  if (html !== undefined) return { html };
  if (!isBlockList(blocks))
    throw badRequest("can't parse rich message: blocks must be an Array of objects with a type");
  return { blocks };
}

export function isBlockList(blocks: unknown): blocks is RichBlock[] {
  return Array.isArray(blocks) && blocks.every((block) => isJsonObject(block) && typeof block.type === 'string');
}

function refuseMedia(): never {
  throw badRequest('media in rich messages is unsupported by this simulator');
}

function toBlocks({ markdown, html, blocks }: RichSource): RichBlock[] {
  if (markdown !== undefined) return parseRichMarkdown(markdown);
  if (html !== undefined) return splitHtml(html);
  return checkBlocks(blocks ?? []);
}

/** Returns blocks as clients receive them: with list labels. @throws ApiError 400 if they do not match the Bot API. */
export function checkBlocks(blocks: readonly RichBlock[]): RichBlock[] {
  for (const type of MEDIA_BLOCKS) if (hasType(blocks, type)) refuseMedia();
  checkRichBlocks(blocks);
  checkLimits(blocks);
  return blocks.map(labelItems);
}

const MEDIA_BLOCKS = ['photo', 'video', 'animation', 'audio', 'document', 'voice_note'];

/** Adds the labels of list items, which received lists have and sent lists do not. */
function labelItems(block: RichBlock): RichBlock {
  if ('blocks' in block && Array.isArray(block.blocks)) return { ...block, blocks: block.blocks.map(labelItems) };
  if (block.type !== 'list') return block;
  return {
    ...block,
    items: block.items.map((item) => ({ ...item, label: toLabel(item), blocks: item.blocks.map(labelItems) })),
  };
}

/** Letters and Roman numerals are formatted by the apps. */
function toLabel({ value }: { readonly value?: number }): string {
  return value === undefined ? '•' : `${value}.`;
}

/** Returns one paragraph for each run of text between block tags. Inline formatting is lost. */
function splitHtml(html: string): RichBlock[] {
  const text = html.replace(
    /<\/?(?:p|h[1-6]|li|tr|pre|blockquote|div|details|summary|hr|br|table|ul|ol)\b[^<>]*>/gi,
    '\n',
  );
  return text
    .replace(/<[^<>]*>/g, '')
    .split(/\n+/)
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((line) => ({ type: 'paragraph', text: line }));
}

function checkLimits(blocks: readonly RichBlock[]): void {
  const totals = measure(blocks);
  if (totals.characters > MAX_CHARACTERS) throw badRequest('rich message is too long');
  if (totals.blocks > MAX_BLOCKS) throw badRequest('rich message has too many blocks');
  if (totals.depth > MAX_DEPTH) throw badRequest('rich message is nested too deep');
  if (totals.columns > MAX_COLUMNS) throw badRequest('rich message has a table with too many columns');
}

interface Totals {
  characters: number;
  blocks: number;
  depth: number;
  columns: number;
}

const TEXT_FIELDS = new Set([
  'text',
  'expression',
  'alternative_text',
  'summary',
  'caption',
  'credit',
  'blocks',
  'items',
  'cells',
]);

/** Measures blocks and rich texts recursively. Every object with a type and children is one level of nesting. */
function measure(root: unknown): Totals {
  const totals: Totals = { characters: 0, blocks: 0, depth: 0, columns: 0 };
  const visit = (value: unknown, depth: number, field: string): void => {
    if (typeof value === 'string') totals.characters += [...value].length;
    if (Array.isArray(value)) {
      if (field === 'blocks' || field === 'items' || field === 'cells') totals.blocks += value.length;
      for (const item of value) {
        if (field === 'cells' && Array.isArray(item)) totals.columns = Math.max(totals.columns, countColumns(item));
        visit(item, depth, field === 'cells' ? 'row' : '');
      }
    }
    if (!isJsonObject(value)) return;
    totals.depth = Math.max(totals.depth, depth);
    for (const [name, inner] of Object.entries(value)) if (TEXT_FIELDS.has(name)) visit(inner, depth + 1, name);
  };
  visit(root, 1, 'blocks');
  return totals;
}

function countColumns(row: readonly unknown[]): number {
  return row.reduce<number>((sum, cell) => sum + (isJsonObject(cell) ? Number(cell.colspan ?? 1) : 1), 0);
}

function hasType(value: unknown, type: string): boolean {
  if (Array.isArray(value)) return value.some((item) => hasType(item, type));
  if (!isJsonObject(value)) return false;
  return value.type === type || Object.values(value).some((inner) => hasType(inner, type));
}
