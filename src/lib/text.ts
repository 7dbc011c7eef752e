/** Returns a text in one line: each run of white space and control characters becomes a space. */
export function toOneLine(text: string): string {
  return text.replace(/[\s\p{Cc}]+/gu, ' ').trim();
}

/** Shortens a text to at most `maxCharacters` code points, including the ellipsis at its end. */
export function shorten(text: string, maxCharacters: number): string {
  const characters = [...text];
  return characters.length <= maxCharacters ? text : `${characters.slice(0, maxCharacters - 1).join('')}…`;
}

/** Counts Unicode code points, as model hosts and Postgres do. */
export function countCharacters(text: string): number {
  let count = 0;
  for (const _character of text) count += 1;
  return count;
}

/**
 * Matches text that is not visible: white space, characters that fonts don't draw, fillers that look like white space,
 * and marks without a letter. U+FFFC is white space for Telegram.
 */
const BLANK =
  /^(?:[\s\p{Cc}\p{Cf}\p{M}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\u2800\uFFFC]|[\u{1D159}\u{13441}\u{13442}])*$/u;

/** Returns whether nothing of the text is visible. */
export function isBlank(text: string): boolean {
  return BLANK.test(text);
}
