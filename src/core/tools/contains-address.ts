import { domainToUnicode } from 'node:url';

const MAX_ADDRESS_CHARACTERS = 2000;
/** Bounds the work for a text that repeats one host without end. */
const MAX_PLACES = 2000;
const MAX_CUTS = 8;
/** Characters that end an address in prose, JSON and HTML. */
const SEPARATOR = /[\s<>"]/u;
/** Characters that end an address in Markdown and program text, although addresses may contain them. */
const CUTS = /[()[\]{}|`'\\,;*“”«»]/gu;
const PUNCTUATION = /[.,;:!?…*_~'"`»”’)\]}]/u;

/**
 * Tells whether a text contains an address: whether one of the addresses in the text leads to the very same request. Spellings that
 * make no difference to the host are the same address: case of the host, default port, fragment. All that the host receives must be
 * the same, so that the address carries nothing that the author of the text has not put into it.
 */
export function containsAddress(text: string, address: URL): boolean {
  const wanted = toRequest(address);
  const places = text.matchAll(toPattern(address)).take(MAX_PLACES);
  return places.some(({ index }) => {
    const [word = ''] = text.slice(index, index + MAX_ADDRESS_CHARACTERS).split(SEPARATOR, 1);
    return listAddresses(word).some((one) => toRequest(one) === wanted);
  });
}

/** Matches beginnings of addresses of the same host, with a scheme, also as JSON may escape it, or without one. */
function toPattern({ hostname }: URL): RegExp {
  const hosts = [hostname, domainToUnicode(hostname)].filter((host) => host !== '');
  const names = hosts.map((host) => host.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|');
  return new RegExp(String.raw`(?:https?:\\?/\\?/|(?<![\p{L}\p{N}.@/:\\_\-]))(?:${names})`, 'giu');
}

/** Returns what a host receives of an address: all but the fragment. */
function toRequest(address: URL): string {
  const request = new URL(address);
  request.hash = '';
  return request.href;
}

/** Returns the addresses that a word of a text may be meant as. */
function listAddresses(word: string): readonly URL[] {
  return [...new Set([word, decodeEscapes(word)])]
    .flatMap((spelling) => (/^https?:/i.test(spelling) ? [spelling] : [`https://${spelling}`, `http://${spelling}`]))
    .flatMap(listEndings)
    .flatMap((one) => URL.parse(one) ?? []);
}

/** Returns the whole, and what is left without punctuation and without what follows a bracket or a quotation mark. */
function listEndings(written: string): readonly string[] {
  const endings = [written];
  for (let end = written.length - 1; endings.length <= MAX_CUTS && PUNCTUATION.test(written[end] ?? ''); end -= 1)
    endings.push(written.slice(0, end));
  const cuts = written.matchAll(CUTS).take(MAX_CUTS);
  return [...endings, ...cuts.map(({ index }) => written.slice(0, index))];
}

/** Undoes the escapes of JSON and HTML: models read what is meant. */
function decodeEscapes(word: string): string {
  return word
    .replaceAll('\\/', '/')
    .replaceAll(/\\u([0-9a-f]{4})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .replaceAll('&amp;', '&');
}
