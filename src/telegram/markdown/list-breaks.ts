import type { Break, PageDraft, SourceSpan } from './page-draft.ts';
import { CONTINUED } from './prepare-source.ts';

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
const GAP = /\s+|[。！？；，、：]+(?![」』”’）》\s])/g;
const SENTENCE_END = /[.!?…。！？]["'”’»)\]]*$/;

/** All places to cut up to `limit`, apart from those within words and within tables, in the order of the text. */
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

/** The last place up to `limit` that is no better than the border of a character as people see it. */
export function findCharacterBreak(draft: PageDraft, source: string, limit: number): Break | undefined {
  const span = draft.spans.findLast(({ textStart }) => textStart < limit);
  if (!span) return undefined;
  const content = draft.text.slice(span.textStart, span.textStart + span.length);
  const room = limit - span.textStart;
  const border = room >= content.length ? content.length : findGraphemeBorder(content, room);
  if (border > 0) return toBreak(span, 'character', span.textStart + border, border, source);
  // Nothing of the span fits: cut before it, and before the backslash of an escaped character.
  if (span.textStart > 0)
    return toBreak(span, 'character', span.textStart, source[span.sourceStart - 1] === '\\' ? -1 : 0, source);
  const codePoint = findCodePointBorder(content, room);
  return toBreak(span, 'character', codePoint, codePoint, source);
}

/** The last border between graphemes up to `limit`; 0 where the first is longer. */
export function findGraphemeBorder(text: string, limit: number): number {
  return graphemes.segment(text.slice(0, limit + 512)).containing(limit)?.index ?? text.length;
}

/** The last border between code points up to `limit`, for a grapheme longer than that. */
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

/** Keeps the rest of a paragraph a paragraph where it begins like a list, a heading or the like. */
export function guardStart(reopen: string, source: string, offset: number): string {
  BLOCK_START.lastIndex = offset;
  return /(?:^|> )$/.test(reopen) && BLOCK_START.test(source) ? `${reopen}${CONTINUED} ` : reopen;
}
