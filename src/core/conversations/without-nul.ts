/** Postgres keeps no U+0000 in text. */
export function withoutNul(text: string): string {
  return text.replaceAll('\u0000', '');
}
