import { CONTINUED } from '../parse/prepare-source.ts';
import type { Break, PageDraft, SourceSpan } from '../render/page-draft.ts';

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
const GAP = /\s+|[。！？；，、：]+(?![」』”’）》\s])/g;
const SENTENCE_END = /[.!?…。！？]["'”’»)\]]*$/;

/** Returns all breaks up to `limit` in text order, except those within words and within tables. */
export function listBreaks(draft: PageDraft, source: string, limit: number): Break[] {
  const inProse = draft.spans
    .filter((span) => span.paragraphStart !== undefined && span.textStart < limit)
    .flatMap((span) => listBreaksInSpan(draft.text, span, source));
  return [...draft.breaks, ...inProse]
    .filter(({ textOffset }) => textOffset > 0 && textOffset <= limit)
    .sort((a, b) => a.textOffset - b.textOffset);
}

function listBreaksInSpan(text: string, span: SourceSpan, source: string): Break[] {
  const content = text.slice(span.textStart, span.textStart + span.length);
  return [...content.matchAll(GAP)].map((gap) => {
    const isSpace = /\s/.test(gap[0]);
    const textOffset = span.textStart + gap.index + (isSpace ? 0 : gap[0].length);
    const isSentence = SENTENCE_END.test(text.slice(Math.max(0, textOffset - 8), textOffset));
    return toBreak(span, isSentence ? 'sentence' : 'word', textOffset, gap.index + gap[0].length, source);
  });
}

/** Returns the last grapheme boundary up to `limit`, as the last resort for a break. */
export function findCharacterBreak(draft: PageDraft, source: string, limit: number): Break | undefined {
  const span = draft.spans.findLast(({ textStart }) => textStart < limit);
  if (!span) return undefined;
  const content = draft.text.slice(span.textStart, span.textStart + span.length);
  const available = limit - span.textStart;
  const border = available >= content.length ? content.length : findGraphemeBorder(content, available);
  if (border > 0) return toBreak(span, 'character', span.textStart + border, border, source);
  // No grapheme of the span fits: cut before it, and before the backslash of an escaped character.
  if (span.textStart > 0)
    return toBreak(span, 'character', span.textStart, source[span.sourceStart - 1] === '\\' ? -1 : 0, source);
  const codePoint = findCodePointBorder(content, available);
  return toBreak(span, 'character', codePoint, codePoint, source);
}

/** Returns the last grapheme boundary up to `limit`; 0 if the first grapheme is longer. */
export function findGraphemeBorder(text: string, limit: number): number {
  return graphemes.segment(text.slice(0, limit + 512)).containing(limit)?.index ?? text.length;
}

/** Returns the last code point boundary up to `limit`, for a grapheme longer than the limit. */
export function findCodePointBorder(text: string, limit: number): number {
  return /[\uD800-\uDBFF]/.test(text[limit - 1] ?? '') ? limit - 1 : limit;
}

function toBreak(span: SourceSpan, level: Break['level'], textOffset: number, length: number, source: string): Break {
  const sourceOffset = span.sourceStart + length;
  const guard = () => guardStart(span.reopen(), source, sourceOffset);
  return {
    level,
    textOffset,
    sourceOffset,
    paragraphStart: span.paragraphStart,
    reopen: span.paragraphStart === undefined ? span.reopen : guard,
  };
}

const BLOCK_START = /[#>|=]|[-+](?![^\s-])|~{3}|`{3}|\d{1,9}(?:[.)]|$)|[*_]+(?:\s|$)|\[[^\]\n]*\]:/y;

/** Prevents the rest of a paragraph from being parsed as a list, heading or another block. */
export function guardStart(reopen: string, source: string, offset: number): string {
  BLOCK_START.lastIndex = offset;
  return /(?:^|> )$/.test(reopen) && BLOCK_START.test(source) ? `${reopen}${CONTINUED} ` : reopen;
}
