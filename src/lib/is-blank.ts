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
