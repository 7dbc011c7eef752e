type Cell = string | number | boolean | undefined;

/**
 * Formats a table as CSV (RFC 4180) in UTF-8 with a byte order mark, which spreadsheets need to detect the encoding.
 * Texts that a spreadsheet would evaluate as formulas are prefixed with an apostrophe.
 */
export function toCsv(header: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const lines = [header, ...rows].map((row) => row.map(toField).join(','));
  return `\uFEFF${lines.join('\r\n')}\r\n`;
}

function toField(cell: Cell): string {
  if (typeof cell !== 'string') return cell === undefined ? '' : String(cell);
  const harmless = /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
