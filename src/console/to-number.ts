/** Returns the number in a field; null for an empty one. */
export function toNumber(text: string): number | null {
  return text.trim() === '' ? null : Number(text);
}
