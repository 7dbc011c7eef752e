/**
 * Placeholder for "no character" in a prepared source: it preserves offsets and is not rendered. A Unicode
 * noncharacter, so it does not occur in real text.
 */
export const NOTHING = '\u{FDD1}';

/**
 * Placeholder for one unit of a formula's source during parsing, so that its `_`, `*` and `|` are not parsed as
 * Markdown.
 */
export const FORMULA = '\u{FDD2}';

/**
 * Prefix of a list item continued from the previous page, which already shows its bullet. Unicode's INVISIBLE
 * SEPARATOR, because it is part of the Markdown that `cutPage` returns for reopening.
 */
export const CONTINUED = '\u2063';

/** Source with `\n` line endings and only characters that Telegram keeps. */
export interface PreparedSource {
  readonly text: string;
  /** Maps an offset in `text` to the original; they differ if the original contains `\r\n`. */
  readonly toOriginalOffset: (offset: number) => number;
}

// Telegram replaces control characters with spaces and drops U+2028..U+202E, U+030A, U+0333 and U+033F (TDLib,
// clean_input_string), which would shift all later entities.
const UNWANTED =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to take out
  /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F\u0080-\u009F\u2028-\u202E\uFDD0-\uFDEF]|[\u0333\u033F]|\P{M}?\u030A|^\uFEFF/gu;
const LONE_SURROGATE = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g;

/** Prepares a source for parsing. All offsets stay the same except for line endings. */
export function prepareSource(original: string): PreparedSource {
  const text = original.replace(/\r\n?/g, '\n').replace(UNWANTED, toHarmless).replace(LONE_SURROGATE, '\uFFFD');
  if (text.length === original.length) return { text, toOriginalOffset: (offset) => offset };
  return { text, toOriginalOffset: (offset) => findOriginalOffset(original, offset) };
}

/** Returns a prepared source as plain text, for output without parsing. */
export function toPlainText(source: string): string {
  return source
    .replace(/[\u{FDD1}\u2063]/gu, '')
    .replaceAll('\t', ' ')
    .trim();
}

function toHarmless(found: string): string {
  if (found.endsWith('\u030A')) return found.normalize('NFC').replace('\u030A', '').padEnd(found.length, NOTHING);
  if (found === '\u2028' || found === '\u2029') return ' ';
  return NOTHING;
}

function findOriginalOffset(original: string, offset: number): number {
  let position = 0;
  for (let left = offset; left > 0; left--) position += original.startsWith('\r\n', position) ? 2 : 1;
  return position;
}
