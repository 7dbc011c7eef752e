const MAX_SEARCH_CHARACTERS = 100;

/** A part of a name as somebody wrote it, in the form in which names are kept; undefined where nothing was written. */
export function toSearch(text: string): string | undefined {
  const words = text
    .normalize('NFC')
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
  return Array.from(words).slice(0, MAX_SEARCH_CHARACTERS).join('').trim() || undefined;
}
