/** Returns a text in one line: each run of white space and control characters becomes a space. */
export function toOneLine(text: string): string {
  return text.replace(/[\s\p{Cc}]+/gu, ' ').trim();
}
