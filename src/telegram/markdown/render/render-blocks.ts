import type { Blockquote, FootnoteDefinition, Heading, List, ListItem, PhrasingContent, RootContent } from 'mdast';
import type { ParsedMarkdown } from '../parse/parse-markdown.ts';
import { CONTINUED } from '../parse/prepare-source.ts';
import { type Container, getItemMarker, getLineStart, getNumberLead, getStart } from '../parse/source-position.ts';
import {
  addBreak,
  type BreakLevel,
  closeRange,
  createPageDraft,
  type DraftRange,
  openRange,
  type PageDraft,
  requestNewlines,
  startBlock,
  writeStyled,
  writeText,
} from './page-draft.ts';
import { renderCode } from './render-code.ts';
import type { DraftTable, RenderContext } from './render-context.ts';
import { renderInlines } from './render-inlines.ts';
import { renderTable } from './render-table.ts';
import { reopenBeforeLine } from './reopen-source.ts';

/** A rendered source: its draft and its tables. */
export interface RenderedDraft {
  readonly draft: PageDraft;
  readonly tables: readonly DraftTable[];
}

const INDENT = '    ';
const BULLETS = ['•', '◦', '▪'] as const;

/**
 * Renders a parsed source into a draft. Tables in `rowLimits` show only that many rows. Several drafts of one source
 * may share `cellLines`.
 */
export function renderDraft(
  parsed: ParsedMarkdown,
  { rowLimits = new Map(), cellLines = new Map() }: Partial<Pick<RenderContext, 'rowLimits' | 'cellLines'>> = {},
): RenderedDraft {
  const draft = createPageDraft();
  const tables: DraftTable[] = [];
  const context: RenderContext = {
    draft,
    parsed,
    tables,
    rowLimits,
    cellLines,
    containers: [],
    listLevel: 0,
    paragraphStart: undefined,
    openMarkers: '',
  };
  renderBlocks(context, parsed.root.children);
  return { draft, tables };
}

function renderBlocks(context: RenderContext, nodes: readonly RootContent[]): void {
  for (const [index, node] of nodes.entries()) {
    const previous = nodes[index - 1];
    if (previous) {
      addBreak(context.draft, {
        level: getBreakLevel(context, previous),
        sourceOffset: getLineStart(context.parsed.source, getStart(node)),
        reopen: () => reopenBeforeLine(context.containers),
      });
    }
    renderBlock(context, node, previous ? getGap(previous, node) : 0);
  }
}

function getBreakLevel(context: RenderContext, previous: RootContent): BreakLevel {
  // A page should not end with a heading whose content is on the next page.
  if (previous.type === 'heading') return 'heading';
  return context.containers.length === 0 ? 'block' : 'item';
}

/** Returns the number of newlines: 2 where the source has a blank line and around headings and rules, else 1. */
function getGap(previous: RootContent, node: RootContent): number {
  const types = [previous.type, node.type];
  if (types.includes('heading') || types.includes('thematicBreak')) return 2;
  return (node.position?.start.line ?? 0) - (previous.position?.end.line ?? 0) > 1 ? 2 : 1;
}

function renderBlock(context: RenderContext, node: RootContent, gap: number): void {
  const { draft } = context;
  if (node.type === 'definition') return;
  startBlock(draft, gap, BESIDE_MARKER.has(node.type));
  switch (node.type) {
    case 'paragraph':
      renderInlines({ ...context, paragraphStart: getStart(node) }, node.children);
      break;
    case 'heading':
      renderHeading(context, node);
      break;
    case 'code':
      renderCode(context, node);
      break;
    case 'blockquote':
      renderQuote(context, node);
      break;
    case 'list':
      renderList(context, node);
      break;
    case 'table':
      renderTable(context, node);
      break;
    case 'thematicBreak':
      writeText(draft, '———');
      break;
    case 'footnoteDefinition':
      renderFootnote(context, node);
      break;
    default:
    // Phrasing content never occurs outside of blocks, HTML is phrasing content here, and formulas are masked.
  }
}

/** Blocks that continue the line of their list marker. */
const BESIDE_MARKER: ReadonlySet<RootContent['type']> = new Set(['paragraph', 'heading', 'footnoteDefinition']);

function renderHeading(context: RenderContext, node: Heading): void {
  const { draft } = context;
  const inner = { ...context, paragraphStart: getStart(node), openMarkers: `${'#'.repeat(node.depth)} ` };
  const write = () => renderInlines(inner, node.children);
  const writeUnderlined = () => writeStyled(draft, { type: 'underline' }, write);
  writeRange(draft, draft.headings, () =>
    writeStyled(draft, { type: 'bold' }, node.depth === 1 ? writeUnderlined : write),
  );
}

function writeRange(draft: PageDraft, list: DraftRange[], write: () => void): void {
  const draftRange: DraftRange = openRange(draft, { start: undefined, end: undefined });
  list.push(draftRange);
  write();
  closeRange(draft, draftRange);
}

function renderQuote(context: RenderContext, node: Blockquote): void {
  const details = context.parsed.syntax.details.get(node);
  if (details) {
    renderDetails(context, node, details);
    return;
  }
  const inner = within(context, { type: 'quote' });
  const label = context.parsed.syntax.alerts.get(node);
  writeStyled(context.draft, { type: 'blockquote' }, () => {
    if (label !== undefined) writeStyled(context.draft, { type: 'bold' }, () => writeText(context.draft, label));
    if (label !== undefined) requestNewlines(context.draft, 1);
    renderBlocks(inner, node.children);
  });
}

/** The summary in bold, and below it the content as a quote that apps fold. A later page shows the rest unfolded. */
function renderDetails(context: RenderContext, node: Blockquote, summary: readonly PhrasingContent[]): void {
  const { draft } = context;
  const [first] = summary;
  const inner = { ...context, paragraphStart: first && getStart(first) };
  writeStyled(draft, { type: 'bold' }, () => renderInlines(inner, summary));
  if (summary.length > 0) requestNewlines(draft, 1);
  writeStyled(draft, { type: 'expandable_blockquote' }, () => renderBlocks(context, node.children));
}

function within(context: RenderContext, container: Container): RenderContext {
  return { ...context, containers: [...context.containers, container] };
}

function renderFootnote(context: RenderContext, node: FootnoteDefinition): void {
  writeText(context.draft, `[${node.label ?? node.identifier}] `);
  context.draft.isAfterMarker = true;
  renderBlocks({ ...context, listLevel: context.listLevel + 1 }, node.children);
  context.draft.isAfterMarker = false;
}

function renderList(context: RenderContext, list: List): void {
  const { draft } = context;
  const start = list.ordered ? (list.start ?? 1) : undefined;
  for (const [index, item] of list.children.entries()) {
    const number = start === undefined ? undefined : start + index;
    const previous = list.children[index - 1];
    if (previous) {
      addItemBreak(context, item, number);
      startBlock(draft, isRoomy(previous, item) ? 2 : 1);
    }
    writeRange(draft, draft.items, () => renderItem({ ...context, listLevel: context.listLevel + 1 }, item, number));
  }
}

/** Returns true if a blank line separates the items and the first one has several lines. */
function isRoomy(previous: ListItem, item: ListItem): boolean {
  const end = previous.position?.end.line ?? 0;
  return (item.position?.start.line ?? 0) - end > 1 && end > (previous.position?.start.line ?? 0);
}

function addItemBreak(context: RenderContext, item: ListItem, number: number | undefined): void {
  const { containers, parsed } = context;
  const start = getStart(item);
  const lineStart = getLineStart(parsed.source, start);
  const lead = getNumberLead(parsed.source, item, number);
  const reopen = () =>
    reopenBeforeLine(containers) + (lead === '' ? '' : `${parsed.source.slice(lineStart, start)}${lead}\n`);
  addBreak(context.draft, { level: 'item', sourceOffset: lineStart, reopen });
}

function renderItem(context: RenderContext, item: ListItem, number: number | undefined): void {
  const { draft, parsed } = context;
  const marker = getItemMarker(parsed.source, item);
  const inner = within(context, { type: 'item', marker, numberLead: getNumberLead(parsed.source, item, number) });
  const { indent } = draft;
  if (!startsContinued(item)) {
    writeText(draft, `${getShownMarker(context, item, number)} `);
    draft.indent += INDENT;
  }
  draft.isAfterMarker = true;
  renderBlocks(inner, item.children);
  draft.isAfterMarker = false;
  draft.indent = indent;
}

function getShownMarker(context: RenderContext, item: ListItem, number: number | undefined): string {
  const box = item.checked === true ? '☑' : item.checked === false ? '☐' : undefined;
  if (number !== undefined) return box ? `${number}. ${box}` : `${number}.`;
  return box ?? BULLETS[Math.min(context.listLevel, BULLETS.length) - 1] ?? '•';
}

/** Returns true for an item that began on the previous page. */
export function startsContinued(item: ListItem): boolean {
  let node: RootContent | undefined = item;
  while (node && (node.type === 'listItem' || node.type === 'list' || node.type === 'blockquote'))
    node = node.children[0];
  const first = node?.type === 'paragraph' ? node.children[0] : undefined;
  return first?.type === 'text' && first.value.startsWith(CONTINUED);
}
