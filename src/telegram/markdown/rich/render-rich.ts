import type { Nodes } from 'mdast';
import { isJsonObject } from '../../../lib/json/json.ts';
import { type ParsedMarkdown, parseMarkdown } from '../parse/parse-markdown.ts';
import { findParseWindow } from '../parse/parse-window.ts';
import { prepareSource } from '../parse/prepare-source.ts';
import { toFormulaText } from '../render/formula-text.ts';
import { renderDraft } from '../render/render-blocks.ts';
import type { RenderOptions } from '../render-markdown.ts';
import { toFormattedText } from '../to-entities.ts';
import { type RichBlock, toRichBlocks } from './rich-blocks.ts';

/** Rich message of the Bot API, whose blocks show tables and formulas that text and entities can't. */
export interface RichContent {
  readonly blocks: RichBlock[];
  readonly is_rtl?: true;
}

// "Rich Message Limits" of the Bot API, less a margin for a quotation above. A cell or an item counts as a level here.
const MAX_CHARACTERS = 28_000;
const MAX_BLOCKS = 490;
const MAX_DEPTH = 16;
const MAX_COLUMNS = 20;

/**
 * Renders a page as a rich message of typed blocks, so that its text is not parsed as markup again: `$5 and $10`
 * remains text. Returns undefined if plain text shows as much (no table, only simple formulas), if Telegram's limits
 * are exceeded, if the source does not render exactly to `text`, or if it is too dense with syntax to be parsed in
 * bounded time.
 * @param markdown the source of one page, with the constructs of the previous page reopened.
 * @param text the page's text as rendered.
 * @param options `isPartial` for a page that was cut: constructs open at its end continue on the next one.
 */
export function renderRich(markdown: string, text: string, options: RenderOptions = {}): RichContent | undefined {
  if (!MAY_BE_RICH.test(markdown)) return undefined;
  const source = prepareSource(markdown).text;
  if (findParseWindow(source, source.length).end < source.length) return undefined;
  const parsed = parseMarkdown(source, options.isPartial ?? false);
  if (!parsed || !isWorthIt(parsed)) return undefined;
  const { draft } = renderDraft(parsed);
  if (toFormattedText(draft.text, draft.styled, draft.text.length).text !== text) return undefined;
  const blocks = toRichBlocks(parsed, parsed.root.children);
  if (blocks.length === 0 || !keepsLimits(blocks)) return undefined;
  return { blocks, ...(RIGHT_TO_LEFT.test(text) ? { is_rtl: true } : {}) };
}

// The delimiter row of a table, the start of a formula, or details.
const MAY_BE_RICH = /-\s*\||\|\s*:?-|\$|\\[([]|<details/i;
const RIGHT_TO_LEFT = /^\P{L}*[\u0590-\u08FF\uFB1D-\uFDFD\uFE70-\uFEFC]/u;

function isWorthIt({ root, formulas, syntax }: ParsedMarkdown): boolean {
  return (
    hasTable(root) ||
    syntax.details.size > 0 ||
    formulas.some(({ latex, isDisplay }) => isDisplay || !isLegibleText(latex))
  );
}

/** Returns true for a formula that plain text shows just as well: `x²`, `a ≤ b`, `α`. */
function isLegibleText(latex: string): boolean {
  return !/\\[a-zA-Z]+\s*[{[_^]|\\\\/.test(latex) && toFormulaText(latex) !== undefined;
}

function hasTable(node: Nodes): boolean {
  return node.type === 'table' || ('children' in node && node.children.some(hasTable));
}

interface Totals {
  characters: number;
  blocks: number;
  depth: number;
  columns: number;
}

function keepsLimits(blocks: readonly RichBlock[]): boolean {
  const totals: Totals = { characters: 0, blocks: 0, depth: 0, columns: 0 };
  measure({ blocks }, totals, 0);
  const { characters, blocks: count, depth, columns } = totals;
  return characters <= MAX_CHARACTERS && count <= MAX_BLOCKS && depth <= MAX_DEPTH && columns <= MAX_COLUMNS;
}

/** Adds up the totals. Blocks, items and rows count as blocks; every object counts as a level. */
function measure(value: unknown, totals: Totals, depth: number): void {
  if (typeof value === 'string') totals.characters += value.length;
  if (Array.isArray(value)) for (const item of value) measure(item, totals, depth);
  if (!isJsonObject(value)) return;
  totals.depth = Math.max(totals.depth, depth);
  const { blocks, items, cells } = value;
  for (const list of [blocks, items, cells]) if (Array.isArray(list)) totals.blocks += list.length;
  if (Array.isArray(cells)) {
    for (const row of cells) if (Array.isArray(row)) totals.columns = Math.max(totals.columns, row.length);
  }
  for (const [name, inner] of Object.entries(value)) if (name !== 'type') measure(inner, totals, depth + 1);
}
