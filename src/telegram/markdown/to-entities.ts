import type { MessageEntity } from 'grammy/types';
import { isBlank } from '../../lib/text.ts';
import { isQuote, type Style, type StyledRange } from './render/page-draft.ts';

/** Text and entities of a message. Offsets and lengths are UTF-16 units, as in the Bot API. */
export interface FormattedText {
  readonly text: string;
  readonly entities: readonly MessageEntity[];
}

interface TextRange {
  readonly start: number;
  readonly end: number;
  readonly style: Style;
}

// Telegram keeps 100 entities of a message. Later ranges are ignored to bound the work.
const MAX_RANGES = 400;
const NESTING_ORDER = [
  ...(['blockquote', 'expandable_blockquote', 'text_link', 'bold', 'italic', 'underline', 'strikethrough'] as const),
  ...(['spoiler', 'code', 'pre'] as const),
] satisfies readonly Style['type'][];

/**
 * Converts the first `length` units of a draft to a message: trimmed as Telegram trims, with the entities clipped.
 * Entities don't begin or end in whitespace and don't overlap partially; code does not overlap other formatting.
 */
export function toFormattedText(draftText: string, draftRanges: readonly StyledRange[], length: number): FormattedText {
  const text = draftText.slice(0, length).trimEnd();
  if (isBlank(text)) return { text: '', entities: [] };
  const ranges = draftRanges.slice(0, MAX_RANGES).flatMap((draftRange) => toRange(text, draftRange));
  const codes = ranges.filter(({ style }) => style.type === 'code' || style.type === 'pre');
  const links = ranges.filter(({ style }) => style.type === 'text_link');
  const splitRanges = ranges.flatMap((range) => {
    if (range.style.type === 'code') return links.some((link) => overlaps(link, range)) ? [] : [range];
    return isSplittable(range.style) ? subtract(text, range, codes, links) : [range];
  });
  const merged = merge(splitRanges.sort(compare));
  // Telegram also trims the start, unless a code block begins there.
  const leadingLength = merged[0]?.start === 0 ? 0 : text.length - text.trimStart().length;
  return { text: text.slice(leadingLength), entities: merged.map((range) => toEntity(range, leadingLength)) };
}

function toRange(text: string, { start, end, style }: StyledRange): TextRange[] {
  if (start === undefined || start >= text.length) return [];
  return trim(text, { start, end: Math.min(end ?? text.length, text.length), style });
}

function trim(text: string, { start, end, style }: TextRange): TextRange[] {
  const content = text.slice(start, end);
  const kept = content.trimEnd();
  // The indentation of a code block's first line is part of the code.
  const leadingLength = style.type === 'pre' ? 0 : kept.length - kept.trimStart().length;
  return kept.length > leadingLength ? [{ start: start + leadingLength, end: start + kept.length, style }] : [];
}

function overlaps(a: TextRange, b: TextRange): boolean {
  return a.start < b.end && b.start < a.end;
}

function isSplittable(style: Style): boolean {
  return !isQuote(style.type) && style.type !== 'text_link' && style.type !== 'pre';
}

/** Returns the parts of a range outside of code. Code that overlaps a link was dropped, so it cuts nothing. */
function subtract(
  text: string,
  range: TextRange,
  codes: readonly TextRange[],
  links: readonly TextRange[],
): TextRange[] {
  const cuts = codes.filter((code) => overlaps(code, range) && !links.some((link) => overlaps(link, code)));
  if (cuts.length === 0) return [range];
  const parts: TextRange[] = [];
  let start = range.start;
  for (const cut of cuts.sort(compare)) {
    if (cut.start > start) parts.push(...trim(text, { ...range, start, end: cut.start }));
    start = Math.max(start, cut.end);
  }
  if (start < range.end) parts.push(...trim(text, { ...range, start }));
  return parts;
}

function compare(a: TextRange, b: TextRange): number {
  return (
    a.start - b.start || b.end - a.end || NESTING_ORDER.indexOf(a.style.type) - NESTING_ORDER.indexOf(b.style.type)
  );
}

/**
 * Merges adjacent ranges of the same formatting, unless that would cut another range that contains only one of them.
 */
function merge(ranges: readonly TextRange[]): TextRange[] {
  const merged: TextRange[] = [];
  for (const range of ranges) {
    const index = merged.findIndex((other) => other.end === range.start && isSameFormatting(other.style, range.style));
    const other = merged[index];
    const wouldCutOuterRange =
      other && ranges.some((outer) => isProperlyWithin(other, outer) !== isProperlyWithin(range, outer));
    if (other && !wouldCutOuterRange) merged[index] = { ...other, end: range.end };
    else merged.push(range);
  }
  return merged.sort(compare);
}

function isSameFormatting(a: Style, b: Style): boolean {
  if (a.type === 'text_link' && b.type === 'text_link') return a.url === b.url;
  return a.type === b.type && isSplittable(a) && a.type !== 'code';
}

function isProperlyWithin(inner: TextRange, outer: TextRange): boolean {
  return (
    inner !== outer && inner.style.type !== outer.style.type && outer.start <= inner.start && inner.end <= outer.end
  );
}

function toEntity({ start, end, style }: TextRange, leadingLength: number): MessageEntity {
  return { ...style, offset: start - leadingLength, length: end - start };
}
