import type { DomNode, FormatCallback } from 'html-to-text';

const MAX_COLUMN_SPAN = 20;
const MAX_ROW_SPAN = 1000;
/** Beyond this column, cells that span rows above leave no empty cell. */
const MAX_SPANNED_COLUMNS = 50;
const SECTIONS: ReadonlySet<string | undefined> = new Set(['thead', 'tbody', 'tfoot', 'center']);
const CELLS: ReadonlySet<string | undefined> = new Set(['td', 'th']);
const MAX_LIST_START = 1_000_000;
/** Highest Roman number that the library can write. */
const MAX_ROMAN_START = 3000;

interface Cell {
  readonly colspan: number;
  readonly rowspan: number;
  readonly text: string;
}

/**
 * Formats a table as lines: one line for each row, cells separated by tabs. A cell that spans columns or rows is
 * followed by empty cells. In rows with multi-line cells (layout tables), each cell gets its own line. The library's
 * own formatter pads all cells of a column to one width and allocates an array of all columns, so a single cell can
 * make it allocate any amount of memory.
 */
export const formatTable: FormatCallback = (table, walk, builder) => {
  builder.openTable();
  for (const row of listRows(table)) {
    builder.openTableRow();
    for (const cell of row.children ?? []) {
      if (!CELLS.has(cell.name)) continue;
      builder.openTableCell({});
      walk(cell.children, builder);
      const colspan = toSpan(cell.attribs?.['colspan'], MAX_COLUMN_SPAN);
      const rowspan = toSpan(cell.attribs?.['rowspan'], MAX_ROW_SPAN);
      builder.closeTableCell({ colspan, rowspan });
    }
    builder.closeTableRow();
  }
  builder.closeTable({ tableToString: toLines, leadingLineBreaks: 2, trailingLineBreaks: 2 });
};

/** Formats an ordered list with a bounded first number: the library fails on numbers that it can't write. */
export const formatOrderedList: FormatCallback = (list, walk, builder, options) => {
  const attributes: Record<string, string> = list.attribs ?? {};
  const isRoman = attributes['type']?.toLowerCase() === 'i';
  const start = Math.trunc(Number(attributes['start'] ?? 1));
  const isWritable = start >= 1 && start <= (isRoman ? MAX_ROMAN_START : MAX_LIST_START);
  const isLong = isRoman && (list.children?.length ?? 0) > MAX_ROMAN_START;
  const bounded = { ...attributes, start: String(isWritable ? start : 1), ...(isLong && { type: '1' }) };
  const format = builder.options.formatters?.['orderedList'];
  format?.({ ...list, attribs: bounded }, walk, builder, options);
};

function listRows(table: DomNode): readonly DomNode[] {
  const sections = (table.children ?? []).flatMap((child) =>
    SECTIONS.has(child.name) ? (child.children ?? []) : [child],
  );
  return sections.filter(({ name }) => name === 'tr');
}

/** Reads an integer from 1 to `max`; anything else counts as 1. */
function toSpan(value: string | undefined, max: number): number {
  const span = Math.trunc(Number(value));
  return span >= 1 && Number.isFinite(span) ? Math.min(span, max) : 1;
}

function toLines(rows: readonly (readonly Cell[])[]): string {
  /** Number of further rows that a cell above covers, by column. */
  const covered: number[] = [];
  return rows
    .map((row) => (row.some(({ text }) => text.includes('\n')) ? row.map(toText).join('\n') : toLine(row, covered)))
    .filter((line) => line !== '')
    .join('\n');
}

function toLine(row: readonly Cell[], covered: number[]): string {
  const columns: string[] = [];
  const skipCovered = () => {
    for (let rest = covered[columns.length] ?? 0; rest > 0; rest = covered[columns.length] ?? 0) {
      covered[columns.length] = rest - 1;
      columns.push('');
    }
  };
  for (const { text, colspan, rowspan } of row) {
    skipCovered();
    for (let span = 0; span < colspan; span += 1) {
      if (columns.length < MAX_SPANNED_COLUMNS) covered[columns.length] = rowspan - 1;
      columns.push(span === 0 ? text.trim() : '');
    }
  }
  skipCovered();
  return columns.join('\t').trimEnd();
}

function toText({ text }: Cell): string {
  return text.trim();
}
