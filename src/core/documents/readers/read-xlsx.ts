import readXlsxFile from 'read-excel-file/universal';
import type { DocumentReader } from './document-reader.ts';
import { checkUnpackedSize } from './unpack.ts';

/**
 * Reads a workbook: the name of each sheet, then a line for each row with cells separated by tabs. Formulas appear as
 * their results.
 */
export const readXlsx: DocumentReader = async (bytes, { maxCharacters, maxUnpackedBytes }) => {
  checkUnpackedSize(bytes, maxUnpackedBytes);
  const sheets = await readXlsxFile(new Uint8Array(bytes).buffer);
  const lines: string[] = [];
  let characters = 0;
  for (const { sheet, data } of sheets) {
    lines.push(`[sheet ${sheet}]`);
    for (const row of data) {
      if (characters > maxCharacters) break;
      const line = row.map(toCell).join('\t').trimEnd();
      lines.push(line);
      characters += line.length + 1;
    }
    lines.push('');
  }
  const hasCells = sheets.some(({ data }) => data.length > 0);
  return { text: hasCells ? lines.join('\n').trim() : '' };
};

function toCell(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (value instanceof Date) return value.toISOString().replace(/T00:00:00\.000Z$/, '');
  return String(value).replaceAll(/[\t\r\n]+/g, ' ');
}
