type Cell = string | number | boolean | undefined;

/**
 * Formats a table as CSV (RFC 4180) in UTF-8 with a byte order mark, which spreadsheets need to detect the encoding.
 * Texts that a spreadsheet would evaluate as formulas are prefixed with an apostrophe.
 */
export function toCsv(header: readonly string[], rows: readonly (readonly Cell[])[]): string {
  return toCsvHeader(header) + toCsvLines(rows);
}

/** Returns the beginning of a CSV file, for files that are written in parts. */
export function toCsvHeader(header: readonly string[]): string {
  return `\uFEFF${toCsvLines([header])}`;
}

/** Returns lines that follow the header. */
export function toCsvLines(rows: readonly (readonly Cell[])[]): string {
  return rows.map((row) => `${row.map(toField).join(',')}\r\n`).join('');
}

function toField(cell: Cell): string {
  if (typeof cell !== 'string') return cell === undefined ? '' : String(cell);
  const harmless = /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
