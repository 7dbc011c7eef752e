import type { Fence } from '../../../lib/markdown/find-fences.ts';
import { type OpenMarker, scanMarkers } from './open-markers.ts';
import { NOTHING } from './prepare-source.ts';
import { getLineStart } from './source-position.ts';

/**
 * Completes a partial answer so that it renders like the finished one: drops an ambiguous end (a list marker, a table
 * header, a tag, a link target), hides open brackets, closes open emphasis and code. The offsets of the remaining text
 * don't change. `openFormulaAt` is the offset of an unclosed formula.
 */
export function completePartial(source: string, fences: readonly Fence[], openFormulaAt: number | undefined): string {
  const last = fences.at(-1);
  if (last && !last.isClosed) return completeFence(source, last);
  let kept = openFormulaAt === undefined ? source : source.slice(0, openFormulaAt);
  kept = dropUnclearLine(kept);
  kept = kept.replace(UNCLEAR_END, '');
  return closeMarkers(kept, getSegmentStart(kept, last?.end ?? 0));
}

// Start of a tag, autolink, character reference, footnote, formula or escape.
const UNCLEAR_END =
  /(?:<\/?[a-z]{0,7}\s?\/?|<details\s[^<>]{0,40}|<(?:https?|mailto|tg):[^\s<>]{0,500}|&#?\w{0,10}|\[\^[^\]\s]{0,40}|\${1,2}|\\|!)$/i;

function completeFence(source: string, fence: Fence): string {
  if (fence.contentStart >= source.length) return source.slice(0, fence.start);
  // A line of backticks may become the closing fence.
  const lastBreak = source.lastIndexOf('\n');
  const mayClose = lastBreak >= 0 && /^[ \t>]*(?:`+[ \t]*|~+[ \t]*)?$/.test(source.slice(lastBreak + 1));
  return mayClose && lastBreak >= fence.contentStart - 1
    ? source.slice(0, Math.max(lastBreak, fence.contentStart))
    : source;
}

const CONTAINER = '[ \\t>]*(?:(?:[-+*]|\\d{1,9}[.)])[ \\t]+)*';
// Start of a list item, heading, quote, rule, fence, setext heading or task box.
const UNCLEAR_LINE = new RegExp(
  `^${CONTAINER}(?:[-+*]|\\d{1,3}[.)]?|#{1,6}|[-_*=\`~]+|(?:[-*_][ \\t]*)+|\\[[ xX]?\\]?|\\[![a-zA-Z]{0,9}\\]?|\\[\\^[^\\]]*\\]?:?|\\[[^\\]]*\\]:.*|:?-+:?)?[ \\t]*$`,
);

// Longer lines are shown without waiting for their end.
const MAX_HELD_UNITS = 500;

/** Drops the last line while its meaning is ambiguous. */
function dropUnclearLine(source: string): string {
  const start = source.lastIndexOf('\n') + 1;
  const line = source.slice(start);
  if (line.length > MAX_HELD_UNITS) return source;
  if (line !== '' && UNCLEAR_LINE.test(line)) return dropTableLine(source.slice(0, start), start, '');
  return dropTableLine(source, start, line);
}

/** Drops a table header until its delimiter row is complete, and a row until it is complete. */
function dropTableLine(source: string, start: number, line: string): string {
  const previousStart = getPreviousLineStart(source, start);
  const previous = start > 0 ? source.slice(previousStart, start) : '';
  const isBehindHeader = isRow(previous) && !isRow(getLineBefore(source, previousStart));
  if (line === '') return isBehindHeader ? source.slice(0, previousStart) : source;
  if (!isRow(line)) return source;
  return source.slice(0, isBehindHeader && /^[ \t>]*\|[ \t|:-]*$/.test(line) ? previousStart : start);
}

function getLineBefore(source: string, start: number): string {
  return source.slice(getPreviousLineStart(source, start), start);
}

/** Returns the start of the line before the one that begins at `start`. */
function getPreviousLineStart(source: string, start: number): number {
  return start === 0 ? 0 : getLineStart(source, start - 1);
}

function isRow(line: string): boolean {
  return ROW.test(line);
}

// Two signs before a word begin a spoiler.
const ROW = new RegExp(`^${CONTAINER}\\|(?!\\|[^\\s|])`);

/** Returns the start of the last paragraph, item or heading. */
function getSegmentStart(source: string, fenceEnd: number): number {
  let start = source.length;
  while (start > fenceEnd) {
    const lineStart = getPreviousLineStart(source, start);
    const line = source.slice(lineStart, start);
    if (line.trim() === '' && start < source.length) break;
    const marker = /^[ \t>]*(?:(?:[-+*]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?|#{1,6}[ \t])+/.exec(line)?.[0];
    if (marker !== undefined) return Math.max(fenceEnd, lineStart + marker.length);
    start = lineStart;
  }
  return Math.max(start, fenceEnd);
}

function closeMarkers(source: string, segmentStart: number): string {
  const scan = scanMarkers(source, segmentStart, source.length);
  if (scan.open.length === 0 && !/[*_~`|[\]]\s*$/.test(source)) return source;
  const kept = dropTrailingBracket(dropTrailingRun(source, segmentStart, scan.open), segmentStart);
  const { open } = kept === source ? scan : scanMarkers(kept, segmentStart, kept.length);
  if (open.length > MAX_OPEN) return kept;
  const link = open.find((marker) => marker.sign === '(');
  const trimmed = kept.slice(0, link?.targetOffset).trimEnd();
  const hidden = open.filter((marker) => isLinkBracket(trimmed, marker)).reduce(hideBracket, trimmed);
  const closers = open.toReversed().map(({ sign, count }) => ('[('.includes(sign) ? '' : sign.repeat(count)));
  return hidden + closers.join('');
}

// More open markers than this do not occur in real text.
const MAX_OPEN = 12;

/** Drops a trailing run of markers that may be an opener or an incomplete closer. */
function dropTrailingRun(source: string, segmentStart: number, open: readonly OpenMarker[]): string {
  const run = /(?:(?<!\*)\*+|(?<!_)_+|(?<!~)~+|(?<!`)`+|(?<!\|)\|+)[ \t]*$/.exec(source);
  if (run && run.index >= segmentStart) {
    const sign = run[0][0];
    const before = scanMarkers(source, segmentStart, run.index).open;
    const isClosing = before.some((marker) => marker.sign === sign) && open.every((marker) => marker.sign !== sign);
    const isInCode = before.at(-1)?.sign === '`' && sign !== '`';
    if (!isClosing && !isInCode) return source.slice(0, run.index).replace(/!?\[$/, '');
  }
  return open.at(-1)?.sign === '`' ? source : source.replace(/!?\[$/, '');
}

/** Drops a trailing `]`, since a link target may follow. */
function dropTrailingBracket(source: string, segmentStart: number): string {
  if (!source.endsWith(']')) return source;
  const before = source.slice(0, -1);
  const bracket = scanMarkers(before, segmentStart, before.length).open.at(-1);
  return bracket?.sign === '[' && isLinkBracket(before, bracket) ? before : source;
}

/** Returns true for a bracket that probably begins a link: `arr[0` is more likely an index. */
function isLinkBracket(source: string, { sign, offset, count }: OpenMarker): boolean {
  return sign === '(' || (sign === '[' && (count === 2 || !/\w/.test(source[offset - 1] ?? '')));
}

function hideBracket(source: string, { offset, count }: OpenMarker): string {
  return source.slice(0, offset) + NOTHING.repeat(count) + source.slice(offset + count);
}
