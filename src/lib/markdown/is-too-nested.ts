const DEEP_NESTING = /^(?!(?:[ \t]*[-*])+[ \t]*$)[ \t]*(?:(?:>|[-+*][ \t]|\d{1,9}[.)][ \t])[ \t]*){17}/m;

const NESTED_QUOTE = /^[ \t]*>[ \t]*>/gm;
const MAX_NESTED_QUOTES = 200;

/**
 * Returns true if Markdown is nested deeper than 16 levels or has hundreds of nested quotes. Parse time is quadratic in
 * them, so such text is shown unrendered.
 */
export function isTooNested(source: string): boolean {
  if (DEEP_NESTING.test(source)) return true;
  let found = 0;
  for (const _ of source.matchAll(NESTED_QUOTE)) if (++found > MAX_NESTED_QUOTES) return true;
  return false;
}
