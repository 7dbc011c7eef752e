import { scanMarkers } from '../parse/open-markers.ts';
import { type ParsedMarkdown, parseMarkdown } from '../parse/parse-markdown.ts';
import { findParseWindow } from '../parse/parse-window.ts';
import { prepareSource, toPlainText } from '../parse/prepare-source.ts';
import { getLineStart, getStart, skipLinePrefix } from '../parse/source-position.ts';
import { BREAK_LEVELS, type Break, type PageDraft } from '../render/page-draft.ts';
import { type RenderedDraft, renderDraft } from '../render/render-blocks.ts';
import type { DraftTable } from '../render/render-context.ts';
import { reopenBeforeLine, reopenBlock } from '../render/reopen-source.ts';
import { MAX_ENTITIES, type RenderOptions } from '../render-markdown.ts';
import { type FormattedText, toFormattedText } from '../to-entities.ts';
import { findCharacterBreak, findCodePointBorder, findGraphemeBorder, guardStart, listBreaks } from './list-breaks.ts';

export interface CutPageOptions extends RenderOptions {
  /** Maximum length of a page's text in UTF-16 units, at least 16. Default 4096, Telegram's limit for a message. */
  readonly maxUnits?: number;
}

/** First page of a source, with the data for the next cut. */
interface CutPage {
  /** Has an empty text only if the source renders to nothing. */
  readonly page: FormattedText;
  /** Number of source units (UTF-16) on the page: the length of the source if all of it fits. */
  readonly consumed: number;
  /**
   * Markdown to prepend to the rest of the source so that an open list, fence, table or quote continues; usually ''.
   */
  readonly reopen: string;
}

/** A page whose offset is in the prepared source, not yet mapped to the original. */
interface WindowCut {
  readonly page: FormattedText;
  readonly sourceOffset: number;
  readonly reopen: string;
}

/**
 * Renders as much of the source as fits into a message: at most `maxUnits` of text and 100 entities (Telegram ignores
 * more). Continue with `reopen + markdown.slice(consumed)`, which always has less left to render.
 *
 * Cuts between blocks if the page is then at least half full, else between list items, table rows, lines, sentences or
 * words. A list item, table row, line of code, link, code span or emphasis that fits on a page is never cut. A cut
 * depends only on the source before it, so a page does not change when the source grows.
 */
export function cutPage(markdown: string, options: CutPageOptions = {}): CutPage {
  const maxUnits = Math.max(16, options.maxUnits ?? 4096);
  const isPartial = options.isPartial ?? false;
  // Upper bound of the source for one page, even with long links; the rest is not parsed.
  for (const windowUnits of [2 * maxUnits + 1024, 6 * maxUnits + 4096]) {
    const { end, isDense } = findParseWindow(markdown, windowUnits);
    const isWhole = end === markdown.length;
    const source = prepareSource(markdown.slice(0, end));
    const cut = cutWindow(source.text, { maxUnits, isPartial: isPartial || !isWhole, isWhole, isDense });
    if (cut === 'unreadable') break;
    if (cut?.sourceOffset === source.text.length && isWhole)
      return { page: cut.page, consumed: markdown.length, reopen: '' };
    if (cut) return { page: cut.page, consumed: source.toOriginalOffset(cut.sourceOffset), reopen: cut.reopen };
  }
  const source = prepareSource(markdown.slice(0, 6 * maxUnits + 4096).replace(/[\r\uD800-\uDBFF]$/, ''));
  const cut = cutPlainPage(source.text, maxUnits);
  return { page: cut.page, consumed: source.toOriginalOffset(cut.sourceOffset), reopen: '' };
}

interface WindowParams {
  readonly maxUnits: number;
  readonly isPartial: boolean;
  /** False if the source continues after the window. */
  readonly isWhole: boolean;
  /** True if no larger window may be parsed. */
  readonly isDense: boolean;
}

/**
 * Cuts a page from the window. Returns undefined if all of the window fits but the source continues, and `unreadable`
 * if the source is mostly syntax: rendered, it would become hundreds of short messages.
 */
function cutWindow(
  source: string,
  { maxUnits, isPartial, isWhole, isDense }: WindowParams,
): WindowCut | 'unreadable' | undefined {
  const parsed = parseMarkdown(source, isPartial);
  if (!parsed) return cutPlainPage(source, maxUnits);
  const rendered = renderDraft(parsed);
  const all = toFormattedText(rendered.draft.text, rendered.draft.styled, rendered.draft.text.length);
  const available = Math.min(maxUnits, all.entities[MAX_ENTITIES]?.offset ?? maxUnits);
  if (all.text.length <= available && isWhole) return { page: all, sourceOffset: source.length, reopen: '' };
  if (all.text.length <= available && !isDense) return undefined;
  if (!isWhole && source.length < maxUnits && all.text.length < Math.min(available, maxUnits / 4)) return 'unreadable';
  // A window that renders to less than a page may end within a table or a word: cut before that.
  const limit = Math.min(available, all.text.length - 1);
  const rowBreak = findRowBreak(parsed, rendered, limit, maxUnits);
  const found = chooseBreak(rendered.draft, parsed, limit, rowBreak);
  if (!found) return cutPlainPage(source, maxUnits);
  const { draft } = found === rowBreak ? rowBreak : rendered;
  const page = toFormattedText(draft.text, draft.styled, found.textOffset);
  return { page, sourceOffset: found.sourceOffset, reopen: toLightReopening(found.reopen()) };
}

/** Drops a reopening, such as a long table header, that would use up most of the next window. */
function toLightReopening(reopen: string): string {
  const { end, isDense } = findParseWindow(reopen, reopen.length);
  return end < reopen.length || isDense ? '' : reopen;
}

/** A break between two table rows, with a draft whose table ends there: column widths depend on the rows shown. */
interface RowBreak extends Break {
  readonly draft: PageDraft;
}

function findRowBreak(
  parsed: ParsedMarkdown,
  rendered: RenderedDraft,
  limit: number,
  maxUnits: number,
): RowBreak | undefined {
  const index = rendered.tables.findIndex(({ textStart, textEnd }) => textStart < limit && textEnd > limit);
  const table = rendered.tables[index];
  if (!table) return undefined;
  const cellLines = new Map();
  const renderRows = (count: number) => renderDraft(parsed, { rowLimits: new Map([[table.node, count]]), cellLines });
  const fits = (count: number) => (renderRows(count).tables[index]?.textEnd ?? 0) <= limit;
  const rowCount = countFittingRows(table.node.children.length - 1, fits);
  const next = table.node.children[rowCount + 1];
  const limited = renderRows(rowCount);
  const textOffset = limited.tables[index]?.textEnd;
  if (rowCount === 0 || !next || textOffset === undefined) return undefined;
  return {
    level: 'row',
    textOffset,
    sourceOffset: getLineStart(parsed.source, getStart(next)),
    reopen: () => reopenTable(parsed.source, table, maxUnits),
    draft: limited.draft,
  };
}

/** Returns the number of rows before the first that does not fit, by exponential and binary search. */
function countFittingRows(rowCount: number, fits: (count: number) => boolean): number {
  let most = 0;
  let step = 1;
  while (most + step < rowCount && fits(most + step)) {
    most += step;
    step *= 2;
  }
  for (; step >= 1; step = Math.floor(step / 2)) {
    if (most + step < rowCount && fits(most + step)) most += step;
  }
  return most;
}

function reopenTable(source: string, { node, containers }: DraftTable, maxUnits: number): string {
  const start = getStart(node);
  const headerEnd = source.indexOf('\n', start);
  const delimiterStart = skipLinePrefix(source, headerEnd + 1);
  const lines = [source.slice(start, headerEnd), source.slice(delimiterStart, source.indexOf('\n', delimiterStart))];
  return lines.join('').length > maxUnits / 2 ? reopenBeforeLine(containers) : reopenBlock(containers, lines);
}

/** Returns the best break, tried from the strictest criteria to the loosest. */
function chooseBreak(draft: PageDraft, parsed: ParsedMarkdown, limit: number, rowBreak: RowBreak | undefined) {
  const breaks = listBreaks(draft, parsed.source, limit).filter((one) => !isWithinHeading(draft, one, limit));
  const isOpen = createOpenCheck(parsed);
  const closed = [...breaks.filter((one) => !isOpen(one)), ...(rowBreak ? [rowBreak] : [])];
  const wholeLimit = Math.min(
    limit,
    ...[...draft.items, ...draft.headings].map(({ start, end }) => (start && (end ?? 0) > limit ? start : limit)),
  );
  return (
    pickBest(
      closed.filter(({ textOffset }) => textOffset <= wholeLimit),
      limit,
    ) ??
    pickBest(closed, limit) ??
    pickBest(breaks, limit) ??
    findCharacterBreak(draft, parsed.source, limit)
  );
}

/** Returns true for a break within a heading that fits on the page. */
function isWithinHeading({ headings }: PageDraft, { textOffset }: Break, limit: number): boolean {
  return headings.some(({ start, end }) => (start ?? 0) < textOffset && textOffset < (end ?? 0) && (end ?? 0) <= limit);
}

/** Returns the last break of the best level in the second half of the page, else the last break of all. */
function pickBest(breaks: readonly Break[], limit: number): Break | undefined {
  for (const level of BREAK_LEVELS) {
    const last = breaks.findLast((one) => one.level === level && one.textOffset >= limit / 2);
    if (last) return last;
  }
  return breaks.reduce<Break | undefined>(
    (best, one) => (best && best.textOffset > one.textOffset ? best : one),
    undefined,
  );
}

/** Returns a check whether emphasis, code or a link is open at a break. Scans each paragraph once. */
function createOpenCheck({ masked }: ParsedMarkdown): (location: Break) => boolean {
  const scans = new Map<number, (offset: number) => boolean>();
  return ({ paragraphStart, sourceOffset }) => {
    if (paragraphStart === undefined) return false;
    let isOpenAt = scans.get(paragraphStart);
    if (!isOpenAt) {
      isOpenAt = scanMarkers(masked, paragraphStart, masked.length).isOpenAt;
      scans.set(paragraphStart, isOpenAt);
    }
    return isOpenAt(sourceOffset);
  };
}

/** Returns a page of unrendered source, for source that can't be parsed in reasonable time or has no possible break. */
function cutPlainPage(source: string, maxUnits: number): WindowCut {
  const start = source.length - source.trimStart().length;
  const sourceOffset =
    source.length - start <= maxUnits ? source.length : start + findPlainBorder(source.slice(start), maxUnits);
  const page = toFormattedText(toPlainText(source.slice(start, sourceOffset)), [], maxUnits);
  return { page, sourceOffset, reopen: sourceOffset === source.length ? '' : guardStart('', source, sourceOffset) };
}

/**
 * Returns the offset after the last newline or space in the second half of the page, else the last character boundary.
 */
function findPlainBorder(text: string, maxUnits: number): number {
  const page = text.slice(0, maxUnits);
  const gap = [page.lastIndexOf('\n'), page.lastIndexOf(' ')].find((position) => position > maxUnits / 2);
  return gap === undefined ? findGraphemeBorder(text, maxUnits) || findCodePointBorder(text, maxUnits) : gap + 1;
}
