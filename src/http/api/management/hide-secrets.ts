import { redactSecrets } from '../../../lib/logger.ts';

/** Addresses may contain keys in their path, query or user name. */
const ADDRESS = /\b[a-z][a-z+.-]*:\/\/[^\s'"<>]+/gi;
/** Long words with letters and digits may be keys that a host repeats in its errors. */
const KEY = /(?=[\w*-]*\d)(?=[\w*-]*[a-z])[\w*-]{16,}/gi;

/** Removes addresses and everything that looks like a key from a provider's words. */
export function hideSecrets(text: string): string {
  return redactSecrets(text, []).replaceAll(ADDRESS, '[address]').replaceAll(KEY, '[hidden]');
}
