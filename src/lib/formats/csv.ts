type Cell = string | number | boolean | undefined;
export type CsvRow = readonly Cell[];

/** Beginning of a formula, also after quotes and spaces, which spreadsheets remove, and in full-width characters. */
const FORMULA = /^[\s"]*[=+\-@＝＋－＠]/;
/** Parts that are cells where the list separator is a semicolon, as in German and Russian, or a tab. */
const BETWEEN_SEPARATORS = /[^;\t\r\n]+/g;

/**
 * Formats a table as CSV (RFC 4180) in UTF-8 with a byte order mark, which spreadsheets need to detect the encoding.
 * Texts that a spreadsheet would evaluate as formulas are prefixed with an apostrophe, and so are parts of texts that it
 * could take for a cell.
 */
export function toCsv(header: readonly string[], rows: readonly CsvRow[]): string {
  return toCsvHeader(header) + toCsvLines(rows);
}

/** Returns the beginning of a CSV file, for files that are written in parts. */
export function toCsvHeader(header: readonly string[]): string {
  return `\uFEFF${toCsvLines([header])}`;
}

/** Returns lines that follow the header. */
export function toCsvLines(rows: readonly CsvRow[]): string {
  return rows.map((row) => `${row.map(toField).join(',')}\r\n`).join('');
}

function toField(cell: Cell): string {
  if (typeof cell !== 'string') return cell === undefined ? '' : String(cell);
  const harmless = disarm(cell);
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

function disarm(text: string): string {
  const disarmed = text.replaceAll(BETWEEN_SEPARATORS, (part) => (FORMULA.test(part) ? `'${part}` : part));
  return /^[\t\r\n]/.test(disarmed) ? `'${disarmed}` : disarmed;
}
