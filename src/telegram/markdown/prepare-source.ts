/**
 * Stands for "no character" in a prepared source: it keeps all offsets as they are and is left out of what is shown.
 * A Unicode noncharacter, so that no text of a person or a model holds it.
 */
export const NOTHING = '\u{FDD1}';

/** Stands for one unit of a formula's source while Markdown is parsed: its `_`, `*` and `|` mean nothing there. */
export const FORMULA = '\u{FDD2}';

/**
 * Begins a list item that continues one of the page before: its bullet was shown there. It is Unicode's INVISIBLE
 * SEPARATOR, because it travels in the Markdown that `cutPage` gives for reopening.
 */
export const CONTINUED = '\u2063';

/** A source whose line ends are `\n` and whose characters Telegram keeps as they are. */
export interface PreparedSource {
  readonly text: string;
  /** The offset in the original for an offset in `text`: they differ where the original has `\r\n`. */
  readonly toOriginalOffset: (offset: number) => number;
}

// Telegram turns control characters into spaces and drops U+2028..U+202E, U+030A, U+0333 and U+033F (TDLib,
// clean_input_string), which would move every entity behind them.
const UNWANTED =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to take out
  /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F\u0080-\u009F\u2028-\u202E\uFDD0-\uFDEF]|[\u0333\u033F]|\P{M}?\u030A|^\uFEFF/gu;
const LONE_SURROGATE = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g;

/** Makes a source ready for parsing. Apart from line ends every offset stays as it was. */
export function prepareSource(original: string): PreparedSource {
  const text = original.replace(/\r\n?/g, '\n').replace(UNWANTED, toHarmless).replace(LONE_SURROGATE, '\uFFFD');
  if (text.length === original.length) return { text, toOriginalOffset: (offset) => offset };
  return { text, toOriginalOffset: (offset) => findOriginalOffset(original, offset) };
}

/** A prepared source as text, for what is shown without being parsed. */
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
