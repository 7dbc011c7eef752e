type Cell = string | number | boolean | undefined;

/**
 * A table as CSV (RFC 4180) in UTF-8 with a byte order mark, without which spreadsheets take it for another encoding. Texts that a
 * spreadsheet would calculate get an apostrophe in front.
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
