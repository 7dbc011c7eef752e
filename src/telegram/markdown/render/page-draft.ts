import { NOTHING } from '../parse/prepare-source.ts';

/** Formatting of a text range: a Telegram entity without offset and length. */
export type Style =
  | {
      readonly type:
        | 'bold'
        | 'italic'
        | 'underline'
        | 'strikethrough'
        | 'spoiler'
        | 'code'
        | 'blockquote'
        | 'expandable_blockquote';
    }
  | { readonly type: 'pre'; readonly language?: string }
  | { readonly type: 'text_link'; readonly url: string };

/** A range of the draft's text in UTF-16 units. `end` is undefined until the range is closed. */
export interface DraftRange {
  start: number | undefined;
  end: number | undefined;
}

/** A range with formatting. */
export interface StyledRange extends DraftRange {
  readonly style: Style;
}

/** Levels of breaks, from the best to the worst. */
export const BREAK_LEVELS = [
  'block',
  'item',
  'row',
  'code-line',
  'line',
  'sentence',
  'word',
  'heading',
  'character',
] as const;
export type BreakLevel = (typeof BREAK_LEVELS)[number];

/**
 * A possible cut: the page shows the text before `textOffset`, the next page begins with the source at `sourceOffset`.
 */
export interface Break {
  readonly level: BreakLevel;
  readonly textOffset: number;
  readonly sourceOffset: number;
  /** Source offset of the paragraph that contains the break, if any: emphasis may be open since there. */
  readonly paragraphStart?: number | undefined;
  /** Returns the Markdown to prepend to the rest of the source. */
  readonly reopen: () => string;
}

/** Text that is identical in source and draft, so that it can be cut anywhere. */
export interface SourceSpan {
  readonly textStart: number;
  readonly length: number;
  readonly sourceStart: number;
  /** Source offset of the paragraph: emphasis may be open since there. Undefined in code. */
  readonly paragraphStart: number | undefined;
  readonly reopen: () => string;
}

/** Rendered text under construction. Text is only appended; `pendingNewlines` are written with the next text. */
export interface PageDraft {
  text: string;
  /** Written after each newline, outside of code. */
  indent: string;
  pendingNewlines: number;
  /** True directly after a list marker: the next paragraph continues on its line. */
  isAfterMarker: boolean;
  readonly styled: StyledRange[];
  /** Types of the open formatting, outermost first. */
  readonly openTypes: Style['type'][];
  /** List items, which are not cut if they fit on a page. */
  readonly items: DraftRange[];
  readonly headings: DraftRange[];
  readonly breaks: Break[];
  readonly spans: SourceSpan[];
  readonly waiting: DraftRange[];
}

export function createPageDraft(): PageDraft {
  return {
    text: '',
    indent: '',
    pendingNewlines: 0,
    isAfterMarker: false,
    styled: [],
    openTypes: [],
    items: [],
    headings: [],
    breaks: [],
    spans: [],
    waiting: [],
  };
}

/** Requests at least `count` newlines before the next text. None are written at the start of the message. */
export function requestNewlines(draft: PageDraft, count: number): void {
  draft.pendingNewlines = Math.max(draft.pendingNewlines, count);
}

/** Begins a block with `gap` newlines before it, or none if it continues the line of a list marker. */
export function startBlock(draft: PageDraft, gap: number, fitsBesideMarker = true): void {
  if (draft.isAfterMarker) {
    if (!fitsBesideMarker) requestNewlines(draft, 1);
  } else requestNewlines(draft, gap);
  draft.isAfterMarker = false;
}

/** Source of a text, needed to cut within it. */
export interface TextSource {
  /** Source offset of the first unit; the following units correspond one to one. */
  readonly sourceStart: number;
  readonly paragraphStart: number | undefined;
  readonly reopen: () => string;
}

/**
 * Appends text. It can be cut within if `source` is given. Whitespace at the start of a message is omitted, except in
 * code.
 */
export function writeText(draft: PageDraft, text: string, source?: TextSource): void {
  if (text.includes(NOTHING)) {
    writeWithoutNothings(draft, text, source);
    return;
  }
  const isStart = draft.text === '' && !draft.openTypes.includes('pre');
  const space = isStart ? text.length - text.trimStart().length : 0;
  // Telegram replaces tabs with spaces.
  const shown = text.slice(space).replaceAll('\t', ' ');
  if (shown === '') return;
  flushNewlines(draft);
  draft.isAfterMarker = false;
  if (source) {
    const sourceStart = source.sourceStart + space;
    draft.spans.push({ ...source, textStart: draft.text.length, length: shown.length, sourceStart });
  }
  draft.text += shown;
}

function writeWithoutNothings(draft: PageDraft, text: string, source: TextSource | undefined): void {
  let position = 0;
  for (const fragment of text.split(NOTHING)) {
    writeText(draft, fragment, source && { ...source, sourceStart: source.sourceStart + position });
    position += fragment.length + 1;
  }
}

function flushNewlines(draft: PageDraft): void {
  if (draft.pendingNewlines > 0 && draft.text !== '') draft.text += '\n'.repeat(draft.pendingNewlines) + draft.indent;
  draft.pendingNewlines = 0;
  for (const draftRange of draft.waiting) draftRange.start ??= draft.text.length;
  draft.waiting.length = 0;
}

/** Begins a range at the next written text. */
export function openRange<T extends DraftRange>(draft: PageDraft, draftRange: T): T {
  draft.waiting.push(draftRange);
  return draftRange;
}

/** Ends a range at the last written text. An empty range keeps an undefined start. */
export function closeRange(draft: PageDraft, draftRange: DraftRange): void {
  const index = draft.waiting.indexOf(draftRange);
  if (index >= 0) draft.waiting.splice(index, 1);
  draftRange.end = draft.text.length;
}

/** Applies formatting to the output of `write`. Formatting nested in the same type, and a quote in a quote, add nothing. */
export function writeStyled(draft: PageDraft, style: Style, write: () => void): void {
  if (draft.openTypes.some((type) => type === style.type || (isQuote(type) && isQuote(style.type)))) {
    write();
    return;
  }
  const draftRange: StyledRange = openRange(draft, { style, start: undefined, end: undefined });
  draft.styled.push(draftRange);
  draft.openTypes.push(style.type);
  write();
  draft.openTypes.pop();
  closeRange(draft, draftRange);
}

/** Returns whether a formatting is one of Telegram's two quotes, which can't contain each other. */
export function isQuote(type: Style['type']): boolean {
  return type === 'blockquote' || type === 'expandable_blockquote';
}

/** Writes the output of `write` as a code block. Its lines are not indented, so that they can be copied. */
export function writePreformatted(draft: PageDraft, language: string | undefined, write: () => void): void {
  const { indent } = draft;
  draft.indent = '';
  writeStyled(draft, language === undefined ? { type: 'pre' } : { type: 'pre', language }, write);
  draft.indent = indent;
}

/** Records that the page may be cut after the current text. */
export function addBreak(draft: PageDraft, location: Omit<Break, 'textOffset'>): void {
  if (draft.text !== '') draft.breaks.push({ ...location, textOffset: draft.text.length });
}
