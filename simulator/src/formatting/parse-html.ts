import type { MessageEntity } from '@grammyjs/types';
import { toLinkEntity } from './check-link.ts';
import type { FormattedText } from './formatted-text.ts';
import { markupError, markupErrorAt } from './markup-error.ts';

type SimpleType = 'bold' | 'italic' | 'strikethrough' | 'underline' | 'spoiler';

const SIMPLE_TAGS: { readonly [tag: string]: SimpleType } = {
  b: 'bold',
  strong: 'bold',
  i: 'italic',
  em: 'italic',
  s: 'strikethrough',
  strike: 'strikethrough',
  del: 'strikethrough',
  u: 'underline',
  ins: 'underline',
  'tg-spoiler': 'spoiler',
  span: 'spoiler',
};
const OTHER_TAGS: ReadonlySet<string> = new Set(['a', 'pre', 'code', 'blockquote', 'tg-emoji']);

/** Attribute that each tag evaluates, and the required prefix of its value. */
const ATTRIBUTES: { readonly [tag: string]: readonly [name: string, prefix: string] } = {
  a: ['href', ''],
  code: ['class', 'language-'],
  span: ['class', 'tg-'],
  'tg-emoji': ['emoji-id', ''],
};

interface OpenTag {
  readonly name: string;
  /** Value of the evaluated attribute; for a blockquote, whether it is expandable. */
  readonly argument: string;
  readonly offset: number;
}

/** Parses the `HTML` parse mode like `parse_html` of TDLib. @throws ApiError 400 */
export function parseHtml(html: string): FormattedText {
  const entities: MessageEntity[] = [];
  const open: OpenTag[] = [];
  /** Languages of `code` entities, applied to a `pre` with the same text. */
  const languages = new Map<MessageEntity, string>();
  let text = '';
  let at = 0;
  while (at < html.length) {
    const character = html.charAt(at);
    if (character !== '<') {
      const { decoded, length } = character === '&' ? decodeReference(html, at) : { decoded: character, length: 1 };
      text += decoded;
      at += length;
      continue;
    }
    if (html.charAt(at + 1) !== '/') {
      const tag = readStartTag(html, at);
      open.push({ name: tag.name, argument: tag.argument, offset: text.length });
      at = tag.endsAt;
      continue;
    }
    const tag = open.at(-1);
    if (!tag) throw markupErrorAt(html, at, 'Unexpected end tag');
    at = readEndTag(html, at, tag.name);
    open.pop();
    if (text.length > tag.offset) addEntity(entities, languages, tag, text);
  }
  const unclosed = open.at(-1);
  if (unclosed) throw markupError(`Can't find end tag corresponding to start tag "${unclosed.name}"`);
  return { text, entities };
}

const REFERENCES: { readonly [name: string]: string } = { lt: '<', gt: '>', amp: '&', quot: '"' };

/** Decodes a character reference; the semicolon is optional. Unknown references are kept as text. */
function decodeReference(html: string, at: number): { readonly decoded: string; readonly length: number } {
  const [, number, name] = /^&(?:#(x[0-9a-f]*|\d*)|([a-z]*))/i.exec(html.slice(at, at + 32)) ?? [];
  const code = number === undefined ? 0 : Number(/^x/i.test(number) ? `0${number.toLowerCase()}` : number);
  const isCode = number !== undefined && code > 0 && code < 0x10_ffff && number.length < 8;
  const decoded = isCode ? String.fromCodePoint(code) : REFERENCES[name ?? ''];
  if (decoded === undefined) return { decoded: '&', length: 1 };
  const length = number === undefined ? 1 + (name?.length ?? 0) : 2 + number.length;
  return { decoded, length: html.charAt(at + length) === ';' ? length + 1 : length };
}

function readStartTag(html: string, begin: number) {
  const [, rawName = ''] = /^<([^\s>]*)/.exec(html.slice(begin)) ?? [];
  let at = begin + 1 + rawName.length;
  const name = rawName.toLowerCase();
  if (at >= html.length) throw markupErrorAt(html, begin, 'Unclosed start tag');
  if (!(name in SIMPLE_TAGS) && !OTHER_TAGS.has(name)) {
    throw markupErrorAt(html, begin, `Unsupported start tag "${name}"`);
  }
  let argument = '';
  for (;;) {
    at = skipSpace(html, at);
    if (html.charAt(at) === '>') break;
    const attribute = readAttribute(html, at, { begin, name });
    at = attribute.endsAt;
    if (at >= html.length) throw markupErrorAt(html, begin, 'Unclosed start tag');
    const [wanted, prefix = ''] = ATTRIBUTES[name] ?? [];
    if (attribute.name === wanted && attribute.value.startsWith(prefix))
      argument = attribute.value.slice(prefix.length);
    if (name === 'blockquote' && attribute.name === 'expandable') argument = 'expandable';
  }
  if (name === 'span' && argument !== 'spoiler') {
    throw markupErrorAt(html, begin, 'Tag "span" must have class "tg-spoiler"');
  }
  return { name, argument, endsAt: at + 1 };
}

function readAttribute(html: string, begin: number, tag: { readonly begin: number; readonly name: string }) {
  const [rawName = ''] = /^[^\s=>/"']*/.exec(html.slice(begin)) ?? [];
  if (rawName === '') throw markupErrorAt(html, tag.begin, `Empty attribute name in the tag "${tag.name}"`);
  const name = rawName.toLowerCase();
  let at = skipSpace(html, begin + rawName.length);
  const hasValue = html.charAt(at) === '=';
  if (hasValue) at = skipSpace(html, at + 1);
  if (at >= html.length) throw markupErrorAt(html, tag.begin, `Unclosed start tag "${tag.name}"`);
  if (!hasValue) return { name, value: '', endsAt: at };
  const quote = html.charAt(at);
  if (quote !== '"' && quote !== "'") {
    const [token = ''] = /^[a-z0-9.-]*/i.exec(html.slice(at)) ?? [];
    const endsAt = at + token.length;
    if (!/^[\s>]/.test(html.slice(endsAt))) throw markupErrorAt(html, at, 'Unexpected end of name token');
    return { name, value: token.toLowerCase(), endsAt };
  }
  let value = '';
  at++;
  while (at < html.length && html.charAt(at) !== quote) {
    const { decoded, length } =
      html.charAt(at) === '&' ? decodeReference(html, at) : { decoded: html.charAt(at), length: 1 };
    value += decoded;
    at += length;
  }
  return { name, value, endsAt: at + 1 };
}

/** Returns the index after the end tag. */
function readEndTag(html: string, begin: number, expected: string): number {
  const [, name = ''] = /^<\/([^\s>]*)/.exec(html.slice(begin)) ?? [];
  const at = skipSpace(html, begin + 2 + name.length);
  if (html.charAt(at) !== '>') throw markupErrorAt(html, begin, 'Unclosed end tag');
  if (name !== '' && name.toLowerCase() !== expected) {
    const where = Buffer.byteLength(html.slice(0, begin));
    throw markupError(
      `Unmatched end tag at byte offset ${where}, expected "</${expected}>", found "</${name.toLowerCase()}>"`,
    );
  }
  return at + 1;
}

function skipSpace(html: string, at: number): number {
  return at + (/^\s*/.exec(html.slice(at))?.[0].length ?? 0);
}

function addEntity(
  entities: MessageEntity[],
  languages: Map<MessageEntity, string>,
  { name, argument, offset }: OpenTag,
  text: string,
): void {
  const place = { offset, length: text.length - offset };
  const simple = SIMPLE_TAGS[name];
  if (simple) {
    entities.push({ type: simple, ...place });
    return;
  }
  const last = entities.at(-1);
  const inner = last?.offset === place.offset && last.length === place.length ? last : undefined;
  switch (name) {
    case 'a': {
      const link = toLinkEntity(argument === '' ? text.slice(offset) : argument, place.offset, place.length);
      if (link) entities.push(link);
      return;
    }
    case 'tg-emoji':
      if (!/^-?[1-9]\d*$/.test(argument)) throw markupError('Invalid custom emoji identifier specified');
      entities.push({ type: 'custom_emoji', ...place, custom_emoji_id: argument });
      return;
    case 'blockquote':
      entities.push({ type: argument === '' ? 'blockquote' : 'expandable_blockquote', ...place });
      return;
    case 'pre': {
      const language = inner?.type === 'code' ? languages.get(inner) : undefined;
      if (language !== undefined) entities.pop();
      entities.push({ type: 'pre', ...place, ...(language === undefined ? {} : { language }) });
      return;
    }
    default: {
      if (inner?.type === 'pre' && argument !== '') {
        entities.pop();
        entities.push({ type: 'pre', ...place, language: argument });
        return;
      }
      const code: MessageEntity = { type: 'code', ...place };
      if (argument !== '') languages.set(code, argument);
      entities.push(code);
    }
  }
}
