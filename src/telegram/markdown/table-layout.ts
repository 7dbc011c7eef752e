import type { AlignType } from 'mdast';
import { getDisplayWidth } from './display-width.ts';

const MAX_COLUMNS = 60;
// A right-to-left cell would reverse its whole line.
const RIGHT_TO_LEFT = /[\u0590-\u08FF\uFB1D-\uFDFD\uFE70-\uFEFC]/;

/**
 * Lays out rows (the header first) as monospaced lines with aligned columns. Returns undefined if a phone can't show
 * them: wider than 60 columns, or with right-to-left text.
 */
export function layOutTable(rows: readonly (readonly string[])[], alignment: readonly AlignType[]): string | undefined {
  const columnCount = rows.reduce((most, row) => Math.max(most, row.length), 0);
  // Each column takes at least one unit, plus three for the separator.
  if (4 * columnCount - 3 > MAX_COLUMNS) return undefined;
  const widths = Array.from({ length: columnCount }, (_, column) =>
    rows.reduce((widest, row) => Math.max(widest, getDisplayWidth(row[column] ?? '')), 1),
  );
  const total = widths.reduce((sum, width) => sum + width, 0) + 3 * (columnCount - 1);
  if (total > MAX_COLUMNS || rows.some((row) => row.some((cell) => RIGHT_TO_LEFT.test(cell)))) return undefined;
  const [header = '', ...body] = rows.map((row) =>
    widths
      .map((width, column) => pad(row[column] ?? '', width, alignment[column]))
      .join(' | ')
      .trimEnd(),
  );
  return [header, widths.map((width) => '-'.repeat(width)).join('-|-'), ...body].join('\n');
}

function pad(cell: string, width: number, alignment: AlignType | undefined): string {
  const space = width - getDisplayWidth(cell);
  if (alignment === 'right') return ' '.repeat(space) + cell;
  if (alignment !== 'center') return cell + ' '.repeat(space);
  const left = Math.floor(space / 2);
  return ' '.repeat(left) + cell + ' '.repeat(space - left);
}
