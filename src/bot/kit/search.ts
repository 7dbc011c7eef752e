import { toOneLine } from '../../lib/one-line.ts';

const MAX_SEARCH_CHARACTERS = 100;

/** Normalizes search text to the form of stored names; undefined if it is empty. */
export function toSearch(text: string): string | undefined {
  return (
    Array.from(toOneLine(text.normalize('NFC')))
      .slice(0, MAX_SEARCH_CHARACTERS)
      .join('')
      .trim() || undefined
  );
}
