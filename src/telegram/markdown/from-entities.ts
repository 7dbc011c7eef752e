import type { MessageEntity } from '@grammyjs/types';

/** Text with its entities, as in the fields of a message. */
interface EntityText {
  readonly text: string;
  /** Offsets and lengths in UTF-16 units; invalid ones are ignored. Default none. */
  readonly entities?: readonly MessageEntity[] | undefined;
}

/** Telegram allows 100 in a message; a rich message has some for each block. */
const MAX_ENTITIES = 2000;
/** Of a whole text: an entity over many lines has marks in each of them. */
const MAX_MARKS = 10_000;
/** Maximum sum of the lengths of entities; further ones are ignored. Rich messages have 40,000 units. */
const MAX_FORMATTED_UNITS = 400_000;
const MAX_URL_LENGTH = 2048;
const QUOTES: ReadonlySet<string> = new Set(['blockquote', 'expandable_blockquote']);
/** Formatting within a line. Markdown has no marks for underlined text. */
const INLINE_MARKS: Readonly<Record<string, readonly [open: string, close: string]>> = {
  bold: ['**', '**'],
  italic: ['*', '*'],
  underline: ['<u>', '</u>'],
  strikethrough: ['~~', '~~'],
  spoiler: ['||', '||'],
};

/** Range of a text with what belongs there in Markdown. */
type Range = Pick<MessageEntity, 'type' | 'offset' | 'length'> & { readonly url?: string; readonly language?: string };

/**
 * Returns a formatted text as Markdown for a model: the inverse of what the bot does with answers. Hidden addresses of
 * links follow their words in parentheses. Marks that the user has typed are left as they are, so the result is not
 * meant to be parsed.
 */
export function fromEntities({ text, entities = [] }: EntityText): string {
  const ranges = toRanges(entities, text.length);
  if (ranges.length === 0) return text;
  const writer = new PassageWriter(text, ranges);
  let written = '';
  let end = 0;
  for (const quote of ranges.filter(({ type }) => QUOTES.has(type))) {
    if (quote.offset < end) continue;
    const quoteEnd = quote.offset + quote.length;
    written += writer.write(end, quote.offset);
    if (written !== '' && !written.endsWith('\n')) written += '\n';
    written += writer.write(quote.offset, quoteEnd).trimEnd().replaceAll(/^/gm, '> ');
    // Without an empty line, Markdown takes the next line as part of the quote.
    written += '\n\n'.slice(/^\n*/.exec(text.slice(quoteEnd, quoteEnd + 2))?.[0].length ?? 0);
    end = quoteEnd;
  }
  return (written + writer.write(end, text.length)).trimEnd();
}

/** Returns the valid ranges by their start, outer ones first; code has no other formatting inside. */
function toRanges(entities: readonly MessageEntity[], textLength: number): readonly Range[] {
  const valid = entities.slice(0, MAX_ENTITIES).flatMap((entity) => toRange(entity, textLength));
  let units = 0;
  const bounded = valid.filter(({ length }) => {
    units += length;
    return units <= MAX_FORMATTED_UNITS;
  });
  const codes = bounded.filter(isCode);
  return bounded
    .filter(
      (range) =>
        !codes.some(
          (code) => code !== range && range.offset >= code.offset && range.offset < code.offset + code.length,
        ),
    )
    .sort((a, b) => a.offset - b.offset || b.length - a.length);
}

function isCode({ type }: Range): boolean {
  return type === 'code' || type === 'pre';
}

/** Clips a range to the text. Telegram's own updates are valid, but webhook input is not validated. */
function toRange(entity: MessageEntity, textLength: number): readonly Range[] {
  const { type, offset, length } = entity;
  if (!Number.isSafeInteger(offset) || !Number.isSafeInteger(length) || offset < 0) return [];
  const clipped = Math.min(length, textLength - offset);
  if (clipped <= 0) return [];
  const url = 'url' in entity && typeof entity.url === 'string' ? { url: entity.url } : {};
  const language = 'language' in entity && typeof entity.language === 'string' ? { language: entity.language } : {};
  return [{ type, offset, length: clipped, ...url, ...language }];
}

interface Mark {
  readonly at: number;
  readonly mark: string;
}

/** Writes a text passage by passage, from its beginning. Each is completely within or outside of a quote. */
class PassageWriter {
  readonly #text: string;
  /** In order; those from `#begun` on begin after the passages so far. */
  readonly #ranges: readonly Range[];
  #begun = 0;
  /** Ranges that have begun and may not have ended. */
  #open: readonly Range[] = [];
  #markCount = 0;

  constructor(text: string, ranges: readonly Range[]) {
    this.#text = text;
    this.#ranges = ranges;
  }

  write(start: number, end: number): string {
    const opening: Mark[] = [];
    const closing: Mark[] = [];
    for (const range of this.#listRanges(start, end)) {
      if (this.#markCount >= MAX_MARKS) break;
      const [from, to] = [Math.max(start, range.offset), Math.min(end, range.offset + range.length)];
      for (const [open, close] of listMarks(this.#text, range, from, to)) {
        opening.push(open);
        closing.push(close);
        this.#markCount += 1;
      }
    }
    // At the same place the range that was opened last is closed first.
    const closingInOrder = closing.toReversed().sort((a, b) => a.at - b.at);
    opening.sort((a, b) => a.at - b.at);
    return insertMarks(this.#text, { start, end, opening, closing: closingInOrder });
  }

  /** Returns the ranges that have a part in a passage. */
  #listRanges(start: number, end: number): readonly Range[] {
    let next = this.#begun;
    while ((this.#ranges[next]?.offset ?? end) < end) next += 1;
    this.#open = [...this.#open, ...this.#ranges.slice(this.#begun, next)].filter(
      ({ offset, length }) => offset + length > start,
    );
    this.#begun = next;
    return start < end ? this.#open : [];
  }
}

interface MarkedPassage {
  readonly start: number;
  readonly end: number;
  readonly opening: readonly Mark[];
  readonly closing: readonly Mark[];
}

function insertMarks(text: string, { start, end, opening, closing }: MarkedPassage): string {
  let written = '';
  let at = start;
  let closed = 0;
  const closeUntil = (place: number) => {
    for (let next = closing[closed]; next && next.at <= place; next = closing[closed]) {
      written += text.slice(at, next.at) + next.mark;
      at = next.at;
      closed += 1;
    }
  };
  for (const { at: place, mark } of opening) {
    closeUntil(place);
    written += text.slice(at, place) + mark;
    at = place;
  }
  closeUntil(end);
  return written + text.slice(at, end);
}

/** Returns pairs of marks for a range: one for each line, because Markdown's inline marks end with the line. */
function listMarks(text: string, range: Range, start: number, end: number): readonly (readonly [Mark, Mark])[] {
  const isBlock = range.type === 'pre' || (range.type === 'code' && text.slice(start, end).includes('\n'));
  if (isBlock) return [fenceBlock(text, range, start, end)];
  if (range.type === 'code') return listLines(text, start, end).map(([from, to]) => markCode(text, from, to));
  if (range.type === 'text_link') return linkAddress(text, range, start, end);
  const marks = Object.hasOwn(INLINE_MARKS, range.type) ? INLINE_MARKS[range.type] : undefined;
  if (!marks) return [];
  const [open, close] = marks;
  return listLines(text, start, end).map(([from, to]) => [
    { at: from, mark: open },
    { at: to, mark: close },
  ]);
}

function fenceBlock(text: string, { language = '' }: Range, start: number, end: number): readonly [Mark, Mark] {
  const fence = '`'.repeat(Math.max(3, longestRun(text.slice(start, end)) + 1));
  const info = /^[\w+#.-]{1,40}$/.test(language) ? language : '';
  const isAtLineStart = start === 0 || text[start - 1] === '\n';
  const isBeforeLineEnd = end >= text.length || text[end] === '\n';
  return [
    { at: start, mark: `${isAtLineStart ? '' : '\n'}${fence}${info}\n` },
    { at: end, mark: `${text[end - 1] === '\n' ? '' : '\n'}${fence}${isBeforeLineEnd ? '' : '\n'}` },
  ];
}

function markCode(text: string, start: number, end: number): readonly [Mark, Mark] {
  const code = text.slice(start, end);
  const run = longestRun(code);
  const gap = run > 0 ? ' ' : '';
  const ticks = '`'.repeat(run + 1);
  return [
    { at: start, mark: ticks + gap },
    { at: end, mark: gap + ticks },
  ];
}

function linkAddress(
  text: string,
  { url = '' }: Range,
  start: number,
  end: number,
): readonly (readonly [Mark, Mark])[] {
  const words = text.slice(start, end).trim();
  const isShown = [words, `${words}/`, `https://${words}`, `https://${words}/`, `http://${words}/`].includes(url);
  if (isShown || url.length > MAX_URL_LENGTH || !/^(?!tg:\/\/user)[a-z][a-z0-9+.-]*:/i.test(url)) return [];
  const place = start + text.slice(start, end).trimEnd().length;
  return [
    [
      { at: start, mark: '' },
      { at: place, mark: ` (${url})` },
    ],
  ];
}

function longestRun(code: string): number {
  return Math.max(0, ...(code.match(/`+/g) ?? []).map(({ length }) => length));
}

/** Returns start and end of each line of a range without white space at its ends; blank lines are left out. */
function listLines(text: string, start: number, end: number): readonly (readonly [start: number, end: number])[] {
  let at = start;
  return text
    .slice(start, end)
    .split('\n')
    .flatMap((line) => {
      const from = at + line.length - line.trimStart().length;
      const to = at + line.trimEnd().length;
      at += line.length + 1;
      return from < to ? [[from, to] as const] : [];
    });
}
