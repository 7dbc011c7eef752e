import type { Message, MessageEntity, UserFromGetMe } from 'grammy/types';
import type { Attachment } from '../../core/conversations/index.ts';
import { mayBePublic } from '../../lib/http/public-fetch.ts';
import { readAddressedText } from '../kit/address.ts';

/** Web page as an attachment of a question. */
export type LinkedPage = Extract<Attachment, { readonly url: string }>;

/** A message with more characters outside of its links is pasted text, and the links are part of it. */
const MAX_WORDS_BESIDE_LINKS = 1500;
/** Maximum number of characters outside of the links of a replied-to message for a question about its pages. */
const MAX_WORDS_BESIDE_LINK = 80;
const QUOTES: ReadonlySet<MessageEntity['type']> = new Set(['blockquote', 'expandable_blockquote']);
/** Words that ask for the page of a link. */
const ASKS_FOR_PAGE =
  /\b(?:links?|urls?|pages?|(?:web)?sites?|articles?|read|open)\b|ссылк|страниц|сайт|стать(?:я|ю|е|и)|прочти|прочита|открой/iu;

/** Fields of a message that may contain links. */
type Linked = Pick<Message, 'text' | 'caption' | 'entities' | 'caption_entities' | 'forward_origin'>;

/**
 * Returns the links in the user's own text, each once, in order. Leaves out links that are forwarded, quoted, in code,
 * of private networks, or part of a long text.
 */
export function listLinks(message: Linked): readonly LinkedPage[] {
  if (message.forward_origin) return [];
  const entities = listEntities(message);
  const quotes = entities.filter(({ type }) => QUOTES.has(type));
  const isQuoted = ({ offset }: MessageEntity) =>
    quotes.some((quote) => offset >= quote.offset && offset < quote.offset + quote.length);
  const own = entities.filter((entity) => isLink(entity) && !isQuoted(entity));
  return countWordsBeside(message, own) > MAX_WORDS_BESIDE_LINKS ? [] : toPages(message, own);
}

/** Returns the links of a replied-to message if it is little more than a link, or if the user's text asks for them. */
export function listLinksReplied(message: Linked, words: string): readonly LinkedPage[] {
  const links = listEntities(message).filter(isLink);
  const isAboutLink = countWordsBeside(message, links) <= MAX_WORDS_BESIDE_LINK || ASKS_FOR_PAGE.test(words);
  return isAboutLink ? toPages(message, links) : [];
}

/** Returns the links of a text without entities. */
export function listLinksWritten(text: string): readonly LinkedPage[] {
  const entities = [...text.matchAll(/https?:\/\/[^\s<>"]+/gi)].map(({ index: offset, 0: url }) => {
    const length = url.replace(/[.,;:!?)\]}'»”]{1,64}$/, '').length;
    return { type: 'url', offset, length } as const;
  });
  return listLinks({ text, entities });
}

/** Returns the page of a message that consists of one link; undefined otherwise. */
export function findPage(message: Message, me: UserFromGetMe): LinkedPage | undefined {
  const text = message.text === undefined ? '' : readAddressedText(message, me);
  const isWhole = ({ offset, length }: MessageEntity) => readText(message).slice(offset, offset + length) === text;
  const whole = listEntities(message).find((entity) => entity.type === 'url' && isWhole(entity));
  const url = /^https?:\/\/\S+$/i.test(text) ? text : whole && toAddress(message, whole);
  return url === undefined ? undefined : toPage(url, 'page');
}

/** A message with more links does not ask to open them. */
const MAX_LINKS = 12;

function toPages(message: Linked, links: readonly MessageEntity[]): readonly LinkedPage[] {
  const pages = links.flatMap((entity) => {
    const url = toAddress(message, entity);
    const page = url === undefined ? undefined : toPage(url, 'link');
    return page && mayBePublic(new URL(page.url)) ? [page] : [];
  });
  const each = [...new Map(pages.map((page) => [page.url, page])).values()];
  return each.length > MAX_LINKS ? [] : each;
}

const MAX_URL_LENGTH = 2000;

function toPage(url: string, kind: LinkedPage['kind']): LinkedPage | undefined {
  const parsed = url.length > MAX_URL_LENGTH ? null : URL.parse(url);
  return parsed ? { kind, url: parsed.href, name: parsed.hostname } : undefined;
}

/** Returns the address of a link. A bare name such as `readme.md` is no address; a path or `www.` is needed. */
function toAddress(message: Linked, entity: MessageEntity): string | undefined {
  const { offset, length } = entity;
  const written = entity.type === 'text_link' ? entity.url : readText(message).slice(offset, offset + length);
  if (/^https?:\/\//i.test(written)) return written;
  return /^(?:www\.|[^/\s:@]+\/)\S/i.test(written) ? `https://${written}` : undefined;
}

function isLink({ type }: MessageEntity): boolean {
  return type === 'url' || type === 'text_link';
}

function countWordsBeside(message: Linked, links: readonly MessageEntity[]): number {
  return links.reduce((left, { length }) => left - length, readText(message).length);
}

function listEntities({ entities, caption_entities: captionEntities }: Linked): readonly MessageEntity[] {
  return entities ?? captionEntities ?? [];
}

function readText({ text, caption }: Linked): string {
  return text ?? caption ?? '';
}
