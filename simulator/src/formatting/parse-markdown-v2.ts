import type { MessageEntity } from '@grammyjs/types';
import { toLinkEntity } from './check-link.ts';
import type { FormattedText } from './formatted-text.ts';
import { markupError, markupErrorAt } from './markup-error.ts';
import { readCodeStart } from './read-code-start.ts';

type Kind =
  | 'bold'
  | 'italic'
  | 'underline'
  | 'strikethrough'
  | 'spoiler'
  | 'code'
  | 'pre'
  | 'text_link'
  | 'custom_emoji'
  | 'blockquote';

/** Closing mark of each entity, and its name in errors. */
const KINDS: { readonly [kind in Kind]: { readonly end: string; readonly name: string } } = {
  bold: { end: '*', name: 'Bold' },
  italic: { end: '_', name: 'Italic' },
  underline: { end: '__', name: 'Underline' },
  strikethrough: { end: '~', name: 'Strikethrough' },
  spoiler: { end: '||', name: 'Spoiler' },
  code: { end: '`', name: 'Code' },
  pre: { end: '```', name: 'Pre' },
  text_link: { end: ']', name: 'TextUrl' },
  custom_emoji: { end: ']', name: 'CustomEmoji' },
  blockquote: { end: '\n', name: 'BlockQuote' },
};

/** Longest first. */
const BEGINNINGS: readonly (readonly [mark: string, kind: Kind])[] = [
  ['```', 'pre'],
  ['__', 'underline'],
  ['||', 'spoiler'],
  ['![', 'custom_emoji'],
  ['`', 'code'],
  ['_', 'italic'],
  ['*', 'bold'],
  ['~', 'strikethrough'],
  ['[', 'text_link'],
];

const RESERVED = '_*[]()~`>#+-=|{}.!';

interface OpenEntity {
  readonly kind: Kind;
  readonly language?: string | undefined;
  /** Index of its opening mark in the markup. */
  readonly at: number;
  readonly offset: number;
}

/** Parses the `MarkdownV2` parse mode like `parse_markdown_v2` of TDLib. @throws ApiError 400 */
export function parseMarkdownV2(markdown: string): FormattedText {
  return new MarkdownV2Parser(markdown).parse();
}

class MarkdownV2Parser {
  readonly #markdown: string;
  readonly #entities: MessageEntity[] = [];
  readonly #open: OpenEntity[] = [];
  #text = '';
  /** True if the text so far is empty or ends with a line break outside code, so that a quote may begin. */
  #isLineStart = true;
  #at = 0;

  constructor(markdown: string) {
    this.#markdown = markdown;
  }

  parse(): FormattedText {
    while (this.#at < this.#markdown.length) this.#step();
    this.#checkEnd();
    if (this.#isInQuote) this.#endQuote('blockquote');
    this.#checkEnd();
    return { text: this.#text, entities: this.#entities };
  }

  #step(): void {
    const character = this.#markdown.charAt(this.#at);
    const next = this.#markdown.charAt(this.#at + 1);
    if (character === '\\' && next > '\0' && next <= '~') {
      this.#take(next, 2);
      return;
    }
    const innermost = this.#open.at(-1)?.kind;
    if (innermost === 'code' || innermost === 'pre') this.#stepInCode(KINDS[innermost].end, character);
    else if (character === '\n') this.#breakLine();
    else if (character === '>' && this.#isLineStart) this.#beginQuote();
    else if (!RESERVED.includes(character)) this.#take(character, 1);
    else if (this.#isEnd(innermost)) this.#end();
    else if (this.#isInQuote && this.#isEndOfExpandableQuote) this.#endExpandableQuote();
    else this.#begin();
  }

  #stepInCode(endMark: string, character: string): void {
    if (this.#startsWith(endMark)) this.#end();
    else if (character === '`') this.#begin();
    else {
      this.#take(character, 1);
      this.#isLineStart = false;
    }
  }

  #startsWith(mark: string): boolean {
    return this.#markdown.startsWith(mark, this.#at);
  }

  #take(character: string, length: number): void {
    this.#text += character;
    this.#at += length;
    this.#isLineStart = character === '\n';
  }

  #isEnd(kind: Kind | undefined): boolean {
    if (kind === undefined || kind === 'blockquote') return false;
    if (kind === 'italic') return this.#startsWith('_') && !this.#startsWith('__');
    return this.#startsWith(KINDS[kind].end);
  }

  #begin(): void {
    const [mark, kind] = BEGINNINGS.find(([beginning]) => this.#startsWith(beginning)) ?? [];
    if (mark === undefined || kind === undefined) {
      const character = this.#markdown.charAt(this.#at);
      throw markupError(`Character '${character}' is reserved and must be escaped with the preceding '\\'`);
    }
    const start = kind === 'pre' ? readCodeStart(this.#markdown, this.#at + 3) : { contentAt: this.#at + mark.length };
    this.#open.push({
      kind,
      at: this.#at,
      offset: this.#text.length,
      language: 'language' in start ? start.language : undefined,
    });
    this.#at = start.contentAt;
  }

  #end(): void {
    const entity = this.#open.pop();
    if (!entity) return;
    const { kind, offset, language } = entity;
    this.#at += KINDS[kind].end.length;
    const place = { offset, length: this.#text.length - offset };
    switch (kind) {
      case 'text_link': {
        const link = toLinkEntity(this.#readAddress() ?? this.#text.slice(offset), place.offset, place.length);
        if (link && place.length > 0) this.#entities.push(link);
        return;
      }
      case 'custom_emoji': {
        const address = this.#readAddress();
        if (address === undefined) throw markupError('The entity must contain a tg://emoji or tg://time URL');
        const [, id] = /^tg:\/*emoji\/?\?(?:[^#]*&)?id=(\d+)/i.exec(address) ?? [];
        if (id === undefined) throw markupError('Invalid tg://emoji or tg://time URL specified');
        if (place.length > 0) this.#entities.push({ type: kind, ...place, custom_emoji_id: id });
        return;
      }
      case 'pre':
        if (place.length > 0) {
          this.#entities.push({ type: kind, ...place, ...(language === undefined ? {} : { language }) });
        }
        return;
      default:
        if (place.length > 0) this.#entities.push({ type: kind, ...place });
    }
  }

  /** Reads `(address)`; undefined if there is none. */
  #readAddress(): string | undefined {
    if (!this.#startsWith('(')) return undefined;
    const begin = ++this.#at;
    let address = '';
    while (this.#at < this.#markdown.length && !this.#startsWith(')')) {
      const next = this.#markdown.charAt(this.#at + 1);
      const isEscaped = this.#startsWith('\\') && next > '\0' && next <= '~';
      address += isEscaped ? next : this.#markdown.charAt(this.#at);
      this.#at += isEscaped ? 2 : 1;
    }
    if (!this.#startsWith(')')) throw markupErrorAt(this.#markdown, begin, "Can't find end of a URL");
    this.#at++;
    return address;
  }

  get #isInQuote(): boolean {
    return this.#open.some(({ kind }) => kind === 'blockquote');
  }

  get #isEndOfExpandableQuote(): boolean {
    return /^\|\|(?:$|\n(?!>))/.test(this.#markdown.slice(this.#at));
  }

  #beginQuote(): void {
    if (!this.#isInQuote) this.#open.push({ kind: 'blockquote', at: this.#at, offset: this.#text.length });
    this.#at++;
  }

  /** Reads a line break. An open quote continues if the next line begins with `>`. */
  #breakLine(): void {
    this.#take('\n', 1);
    if (!this.#isInQuote || this.#startsWith('>')) return;
    this.#checkEnd();
    this.#endQuote('blockquote');
  }

  #endExpandableQuote(): void {
    this.#checkEnd();
    this.#at += 2;
    if (this.#startsWith('\n')) this.#take('\n', 1);
    this.#endQuote('expandable_blockquote');
  }

  #endQuote(type: 'blockquote' | 'expandable_blockquote'): void {
    const offset = this.#open.pop()?.offset ?? 0;
    const length = this.#text.length - offset;
    if (length > 0) this.#entities.push({ type, offset, length });
  }

  /** Throws if entities are still open. */
  #checkEnd(): void {
    const unclosed = this.#open.at(-1);
    if (!unclosed || unclosed.kind === 'blockquote') return;
    const name = unclosed.language === undefined ? KINDS[unclosed.kind].name : 'PreCode';
    throw markupErrorAt(this.#markdown, unclosed.at, `Can't find end of ${name} entity`);
  }
}
