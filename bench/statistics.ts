/** Returns the median; the mean of the two middle values for an even number. NaN without values. */
export function median(values: readonly number[]): number {
  const ascending = sorted(values);
  const middle = ascending.length / 2;
  const [low, high] = [ascending[Math.ceil(middle) - 1], ascending[Math.floor(middle)]];
  return low === undefined || high === undefined ? Number.NaN : (low + high) / 2;
}

/** Returns the value below which this share of the values lies. NaN without values. */
export function percentile(values: readonly number[], share: number): number {
  const ascending = sorted(values);
  return ascending[Math.min(ascending.length - 1, Math.floor(ascending.length * share))] ?? Number.NaN;
}

/** Returns the mean without the lowest and the highest tenth, and its standard error. NaN without values. */
export function trimmedMean(values: readonly number[]): { readonly mean: number; readonly error: number } {
  const cut = Math.floor(values.length / 10);
  const kept = sorted(values).slice(cut, values.length - cut);
  const mean = kept.reduce((sum, value) => sum + value, 0) / kept.length;
  const variance = kept.reduce((sum, value) => sum + (value - mean) ** 2, 0) / kept.length;
  return { mean, error: Math.sqrt(variance / kept.length) };
}

/** Returns the items in random order. */
export function shuffled<Item>(items: readonly Item[]): Item[] {
  return items
    .map((item) => ({ item, place: Math.random() }))
    .sort((one, other) => one.place - other.place)
    .map(({ item }) => item);
}

function sorted(values: readonly number[]): number[] {
  return [...values].sort((one, other) => one - other);
}
