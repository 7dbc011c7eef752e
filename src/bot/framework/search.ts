const MAX_SEARCH_CHARACTERS = 100;

/** Normalizes search text to the form of stored names; undefined if it is empty. */
export function toSearch(text: string): string | undefined {
  const words = text
    .normalize('NFC')
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
  return Array.from(words).slice(0, MAX_SEARCH_CHARACTERS).join('').trim() || undefined;
}
