import { redactSecrets } from '../../../lib/log/logger.ts';

/** Addresses may contain keys in their path, query or user name. */
const ADDRESS = /:\/\/[^\s'"<>]+/g;
const WORD = /[\w*-]+/g;
const MIN_KEY_LENGTH = 16;

/** Removes addresses and everything that looks like a key from a provider's words. */
export function hideSecrets(text: string): string {
  return redactSecrets(text, [])
    .replaceAll(ADDRESS, '://[address]')
    .replaceAll(WORD, (word) => (looksLikeKey(word) ? '[hidden]' : word));
}

/** Long words with letters and digits may be keys that a host repeats in its errors. */
function looksLikeKey(word: string): boolean {
  return word.length >= MIN_KEY_LENGTH && /\d/.test(word) && /[a-z]/i.test(word);
}
