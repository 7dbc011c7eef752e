import { Parser } from 'htmlparser2';
import { shorten } from '../../lib/text.ts';
import type { GivenResult } from './search-api.ts';

export interface WebSearchResult {
  readonly url: string;
  readonly title: string;
  /** Excerpt of the page; may be empty. */
  readonly text: string;
  /** Date of publication such as `2026-11-21`, if the service knows it. */
  readonly date: string | undefined;
}

const MAX_RESULTS = 8;
const MAX_URL_CHARACTERS = 1000;
const MAX_TITLE_CHARACTERS = 150;
const MAX_TEXT_CHARACTERS = 600;
/** Limit before a text is processed. */
const MAX_GIVEN_CHARACTERS = 4000;

/** Returns the usable results: web addresses with plain text, each address once. */
export function readResults(given: readonly GivenResult[], isHtml: boolean): readonly WebSearchResult[] {
  const results = new Map<string, WebSearchResult>();
  for (const one of given) {
    const result = readResult(one, isHtml);
    if (result && !results.has(result.url)) results.set(result.url, result);
    if (results.size >= MAX_RESULTS) break;
  }
  return [...results.values()];
}

function readResult({ url, title, text, date }: GivenResult, isHtml: boolean): WebSearchResult | undefined {
  const address = toAddress(url);
  if (!address) return undefined;
  return {
    url: address.href,
    title: toPlainText(title, isHtml, MAX_TITLE_CHARACTERS) || address.host,
    text: toPlainText(text, isHtml, MAX_TEXT_CHARACTERS),
    date: typeof date === 'string' ? /^\d{4}-\d{2}-\d{2}/.exec(date)?.[0] : undefined,
  };
}

function toAddress(url: unknown): URL | undefined {
  const address = typeof url === 'string' && url.length <= MAX_URL_CHARACTERS ? URL.parse(url) : null;
  if (!address || !/^https?:$/.test(address.protocol) || address.username !== '' || address.password !== '')
    return undefined;
  return address.href.length <= MAX_URL_CHARACTERS ? address : undefined;
}

function toPlainText(given: unknown, isHtml: boolean, maxCharacters: number): string {
  if (typeof given !== 'string') return '';
  const start = given.slice(0, MAX_GIVEN_CHARACTERS);
  const text = isHtml ? readHtml(start) : start;
  // Control characters, and those that change the direction of text.
  const clean = text.toWellFormed().replaceAll(/[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\s]+/gu, ' ');
  return shorten(clean.trim(), maxCharacters);
}

function readHtml(html: string): string {
  let text = '';
  const parser = new Parser({
    ontext(part) {
      text += part;
    },
  });
  parser.end(html);
  return text;
}
