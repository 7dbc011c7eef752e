/** Texts for file sizes. */
export interface SizeUnits {
  readonly bytes: (count: number) => string;
  /** For 1024, 1024² and 1024³ bytes. */
  readonly larger: readonly [string, string, string];
}

/** Formats a size in the largest suitable unit, with one decimal place for small numbers. */
export function sizeOf(locale: string, sizeBytes: number, units: SizeUnits): string {
  if (sizeBytes < 1024) return units.bytes(sizeBytes);
  let size = sizeBytes / 1024;
  let [unit, ...larger] = units.larger as readonly string[];
  for (const next of larger) {
    // A size that would be rounded to 1024 uses the next unit.
    if (size < 1023.5) break;
    size /= 1024;
    unit = next;
  }
  const digits = size < 99.95 ? 1 : 0;
  return `${size.toLocaleString(locale, { maximumFractionDigits: digits, useGrouping: false })} ${unit}`;
}
