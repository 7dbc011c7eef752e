/** The middle one; the mean of the two in the middle where their number is even. NaN where there are none. */
export function median(values: readonly number[]): number {
  const ascending = sorted(values);
  const middle = ascending.length / 2;
  const [low, high] = [ascending[Math.ceil(middle) - 1], ascending[Math.floor(middle)]];
  return low === undefined || high === undefined ? Number.NaN : (low + high) / 2;
}

/** The value below which this share of them lies. NaN where there are none. */
export function percentile(values: readonly number[], share: number): number {
  const ascending = sorted(values);
  return ascending[Math.min(ascending.length - 1, Math.floor(ascending.length * share))] ?? Number.NaN;
}

/** The mean of what is left without the lowest and the highest tenth, and its standard error. NaN where there are none. */
export function trimmedMean(values: readonly number[]): { readonly mean: number; readonly error: number } {
  const cut = Math.floor(values.length / 10);
  const kept = sorted(values).slice(cut, values.length - cut);
  const mean = kept.reduce((sum, value) => sum + value, 0) / kept.length;
  const variance = kept.reduce((sum, value) => sum + (value - mean) ** 2, 0) / kept.length;
  return { mean, error: Math.sqrt(variance / kept.length) };
}

function sorted(values: readonly number[]): number[] {
  return [...values].sort((one, other) => one - other);
}
