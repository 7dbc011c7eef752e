/** Cost of a number of requests. */
export interface Cost {
  /** US dollars, without the requests in `unpriced`; undefined if no price is known. */
  readonly costUsd: number | undefined;
  /** Requests whose price is unknown. */
  readonly unpriced: number;
}

/** Below the first, amounts are shown with two significant digits; from the second on, in whole cents. */
const [SMALL_USD, LARGE_USD] = [0.01, 1];

/** Returns `$1.20` or `$0.00012`: never 0 for an amount above 0. */
export function dollarsOf(locale: string, dollars: number): string {
  const digits =
    dollars > 0 && dollars < SMALL_USD
      ? { maximumSignificantDigits: 2 }
      : { minimumFractionDigits: 2, maximumFractionDigits: dollars < LARGE_USD ? 4 : 2 };
  return new Intl.NumberFormat(locale, { style: 'currency', currency: 'USD', ...digits }).format(dollars);
}

/** Returns the known amount and the number of requests that it does not contain. */
export function costOf(
  locale: string,
  { costUsd, unpriced }: Cost,
  words: { readonly unknown: string; readonly unpriced: (count: number) => string },
): string {
  if (costUsd === undefined) return unpriced === 0 ? dollarsOf(locale, 0) : words.unknown;
  const known = dollarsOf(locale, costUsd);
  return unpriced === 0 ? known : `${known} + ${words.unpriced(unpriced)}`;
}
