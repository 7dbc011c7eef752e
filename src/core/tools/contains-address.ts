import { domainToUnicode } from 'node:url';

const MAX_ADDRESS_CHARACTERS = 2000;
/** Limits the work for a text that repeats one host many times. */
const MAX_OCCURRENCES = 2000;
const MAX_CUTS = 8;
/** Characters that end an address in prose, JSON and HTML. */
const SEPARATOR = /[\s<>"]/u;
/** Characters that end an address in Markdown and program text, although addresses may contain them. */
const CUTS = /[()[\]{}|`'\\,;*“”«»]/gu;
const PUNCTUATION = /[.,;:!?…*_~'"`»”’)\]}]/u;

/**
 * Returns whether a text contains an address: whether one of the addresses in the text leads to the same request. Case
 * of the host, default port and fragment do not matter, because the host does not see them. Everything that the host
 * receives must be the same, so that the address can't carry data that the author of the text did not put into it.
 */
export function containsAddress(text: string, address: URL): boolean {
  const requestText = toRequest(address);
  const occurrences = text.matchAll(toPattern(address)).take(MAX_OCCURRENCES);
  return occurrences.some(({ index }) => {
    const [word = ''] = text.slice(index, index + MAX_ADDRESS_CHARACTERS).split(SEPARATOR, 1);
    return listAddresses(word).some((address) => toRequest(address) === requestText);
  });
}

/**
 * Matches the beginnings of addresses of the same host: with a scheme, with a scheme escaped as in JSON, or without
 * one.
 */
function toPattern({ hostname }: URL): RegExp {
  const hosts = [hostname, domainToUnicode(hostname)].filter((host) => host !== '');
  const names = hosts.map((host) => host.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|');
  return new RegExp(String.raw`(?:https?:\\?/\\?/|(?<![\p{L}\p{N}.@/:\\_\-]))(?:${names})`, 'giu');
}

/** Returns the parts of an address that the host receives: all but the fragment. */
function toRequest(address: URL): string {
  const request = new URL(address);
  request.hash = '';
  return request.href;
}

/** Returns the addresses that a word of a text may mean. */
function listAddresses(word: string): readonly URL[] {
  return [...new Set([word, decodeEscapes(word)])]
    .flatMap((spelling) => (/^https?:/i.test(spelling) ? [spelling] : [`https://${spelling}`, `http://${spelling}`]))
    .flatMap(listEndings)
    .flatMap((address) => URL.parse(address) ?? []);
}

/** Returns the word as written, without trailing punctuation, and cut at each bracket or quotation mark. */
function listEndings(written: string): readonly string[] {
  const endings = [written];
  for (let end = written.length - 1; endings.length <= MAX_CUTS && PUNCTUATION.test(written[end] ?? ''); end -= 1)
    endings.push(written.slice(0, end));
  const cuts = written.matchAll(CUTS).take(MAX_CUTS);
  return [...endings, ...cuts.map(({ index }) => written.slice(0, index))];
}

/** Decodes the escapes of JSON and HTML, as models do when they read. */
function decodeEscapes(word: string): string {
  return word
    .replaceAll('\\/', '/')
    .replaceAll(/\\u([0-9a-f]{4})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .replaceAll('&amp;', '&');
}
