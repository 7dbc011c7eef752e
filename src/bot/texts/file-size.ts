/** Words for sizes of files. */
export interface SizeUnits {
  readonly bytes: (count: number) => string;
  /** For 1024, 1024² and 1024³ bytes. */
  readonly larger: readonly [string, string, string];
}

/** A size in the unit that people would use for it, with one digit behind the point where there are few before it. */
export function sizeOf(locale: string, sizeBytes: number, units: SizeUnits): string {
  if (sizeBytes < 1024) return units.bytes(sizeBytes);
  let size = sizeBytes / 1024;
  let [unit, ...larger] = units.larger as readonly string[];
  for (const next of larger) {
    // What would be rounded to 1024 is one of the next unit.
    if (size < 1023.5) break;
    size /= 1024;
    unit = next;
  }
  const digits = size < 99.95 ? 1 : 0;
  return `${size.toLocaleString(locale, { maximumFractionDigits: digits, useGrouping: false })} ${unit}`;
}
