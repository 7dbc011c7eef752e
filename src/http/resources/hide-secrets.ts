import { redactSecrets } from '../../lib/log/logger.ts';

/** Addresses may contain keys in their path, query or user name. */
const ADDRESS = /:\/\/[^\s'"<>]+/g;
const WORD = /[\w*-]+/g;
const MIN_KEY_LENGTH = 16;

/** Hides addresses and all that may be a key in a text of a provider or of the log, which admins see. */
export function hideSecrets(text: string): string {
  // The secrets of the settings are unknown here; `redactSecrets` finds tokens by their form.
  return redactSecrets(text, [])
    .replaceAll(ADDRESS, '://[address]')
    .replaceAll(WORD, (word) => (looksLikeKey(word) ? '[hidden]' : word));
}

/** Long words with letters and digits may be keys that a host repeats in its errors. */
function looksLikeKey(word: string): boolean {
  return word.length >= MIN_KEY_LENGTH && /\d/.test(word) && /[a-z]/i.test(word);
}
