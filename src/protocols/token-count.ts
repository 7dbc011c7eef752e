/** Far above the context length of any model. */
const MAX_TOKENS = 1_000_000_000;

/** Reads a token count that a host reports; `wrong` if it is negative, not a number, or more than any model produces. */
export function toTokenCount(value: unknown): number | 'wrong' | undefined {
  if (value === undefined || value === null) return undefined;
  return typeof value === 'number' && value >= 0 && value <= MAX_TOKENS ? Math.round(value) : 'wrong';
}
