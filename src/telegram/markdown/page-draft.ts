import { NOTHING } from './prepare-source.ts';

/** The look of a stretch of text: a Telegram entity without its place. */
export type Style =
  | { readonly type: 'bold' | 'italic' | 'underline' | 'strikethrough' | 'code' | 'blockquote' }
  | { readonly type: 'pre'; readonly language?: string }
  | { readonly type: 'text_link'; readonly url: string };

/** A stretch of the draft's text, in UTF-16 units. `end` is undefined while it is being written. */
export interface Stretch {
  start: number | undefined;
  end: number | undefined;
}

/** A stretch with a look. */
export interface StyledStretch extends Stretch {
  readonly style: Style;
}

/** Where a page may be cut, from the best kind of place to the worst. */
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

/** A place to cut: the page shows the text before `textOffset`, the next page begins with the source at `sourceOffset`. */
export interface Break {
  readonly level: BreakLevel;
  readonly textOffset: number;
  readonly sourceOffset: number;
  /** Where the paragraph begins in the source, if the place is within one: emphasis may be open since there. */
  readonly paragraphStart?: number | undefined;
  /** The Markdown to put before the rest of the source. */
  readonly reopen: () => string;
}

/** Text that stands in the source as it is shown, so that it can be cut anywhere. */
export interface SourceSpan {
  readonly textStart: number;
  readonly length: number;
  readonly sourceStart: number;
  /** Where the paragraph begins in the source: emphasis may be open since there. Undefined in code. */
  readonly paragraphStart: number | undefined;
  readonly reopen: () => string;
}

/** The rendered text while it grows. Everything is appended; `pendingNewlines` are written with the next text only. */
export interface PageDraft {
  text: string;
  /** Written after each newline, outside of code. */
  indent: string;
  pendingNewlines: number;
  /** True right behind a list marker: the next paragraph goes on in its line. */
  isAfterMarker: boolean;
  readonly styled: StyledStretch[];
  /** The kinds of looks that are open, outermost first. */
  readonly openTypes: Style['type'][];
  /** List items, which stay whole where they can. */
  readonly items: Stretch[];
  readonly headings: Stretch[];
  readonly breaks: Break[];
  readonly spans: SourceSpan[];
  readonly waiting: Stretch[];
}

/** An empty draft. */
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

/** Asks for at least so many newlines before the next text; none at the start of the message. */
export function requestNewlines(draft: PageDraft, count: number): void {
  draft.pendingNewlines = Math.max(draft.pendingNewlines, count);
}

/** Begins a block: `gap` newlines before it, or none where it stands beside a list marker. */
export function startBlock(draft: PageDraft, gap: number, fitsBesideMarker = true): void {
  if (draft.isAfterMarker) {
    if (!fitsBesideMarker) requestNewlines(draft, 1);
  } else requestNewlines(draft, gap);
  draft.isAfterMarker = false;
}

/** What `writeText` must know to let the text be cut. */
export interface TextSource {
  /** The offset in the source of the text's first unit: the units that follow correspond one to one. */
  readonly sourceStart: number;
  readonly paragraphStart: number | undefined;
  readonly reopen: () => string;
}

/** Appends text. With a source the text may be cut within. Space at the start of a message is left out, except of code. */
export function writeText(draft: PageDraft, text: string, source?: TextSource): void {
  if (text.includes(NOTHING)) {
    writeWithoutNothings(draft, text, source);
    return;
  }
  const isStart = draft.text === '' && !draft.openTypes.includes('pre');
  const space = isStart ? text.length - text.trimStart().length : 0;
  // Telegram makes a space of a tab.
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
  for (const piece of text.split(NOTHING)) {
    writeText(draft, piece, source && { ...source, sourceStart: source.sourceStart + position });
    position += piece.length + 1;
  }
}

function flushNewlines(draft: PageDraft): void {
  if (draft.pendingNewlines > 0 && draft.text !== '') draft.text += '\n'.repeat(draft.pendingNewlines) + draft.indent;
  draft.pendingNewlines = 0;
  for (const stretch of draft.waiting) stretch.start ??= draft.text.length;
  draft.waiting.length = 0;
}

/** Begins a stretch at the next text that is written. */
export function openStretch<T extends Stretch>(draft: PageDraft, stretch: T): T {
  draft.waiting.push(stretch);
  return stretch;
}

/** Ends a stretch at the last text that was written. One that got no text stays without a start. */
export function closeStretch(draft: PageDraft, stretch: Stretch): void {
  const index = draft.waiting.indexOf(stretch);
  if (index >= 0) draft.waiting.splice(index, 1);
  stretch.end = draft.text.length;
}

/** Appends what `write` writes with a look; a look within the same look adds nothing. */
export function writeStyled(draft: PageDraft, style: Style, write: () => void): void {
  if (draft.openTypes.includes(style.type)) {
    write();
    return;
  }
  const stretch: StyledStretch = openStretch(draft, { style, start: undefined, end: undefined });
  draft.styled.push(stretch);
  draft.openTypes.push(style.type);
  write();
  draft.openTypes.pop();
  closeStretch(draft, stretch);
}

/** Appends what `write` writes as a block of code: its lines aren't indented, so that they can be copied. */
export function writePreformatted(draft: PageDraft, language: string | undefined, write: () => void): void {
  const { indent } = draft;
  draft.indent = '';
  writeStyled(draft, language === undefined ? { type: 'pre' } : { type: 'pre', language }, write);
  draft.indent = indent;
}

/** Notes that the page may be cut behind the text so far. */
export function addBreak(draft: PageDraft, place: Omit<Break, 'textOffset'>): void {
  if (draft.text !== '') draft.breaks.push({ ...place, textOffset: draft.text.length });
}
