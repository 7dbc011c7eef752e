import type { Table, TableCell, TableRow } from 'mdast';
import { requestNewlines, writePreformatted, writeStyled, writeText } from './page-draft.ts';
import type { PlainLine, RenderContext } from './render-context.ts';
import { renderInlines, toPlainLine } from './render-inlines.ts';
import { layOutTable } from './table-layout.ts';

/**
 * Appends a table: as aligned columns if they fit on a phone and contain no links, else as a list with a record for
 * each row.
 */
export function renderTable(context: RenderContext, node: Table): void {
  const { draft } = context;
  const [header, ...body] = node.children;
  if (!header) return;
  const rows = [header, ...body.slice(0, context.rowLimits.get(node))];
  const textStart = draft.text.length;
  const spanCount = draft.spans.length;
  const breakCount = draft.breaks.length;
  const cells = rows.map((row) => row.children.map((cell) => toCellLine(context, cell)));
  const hasLinks = cells.some((row) => row.some((cell) => cell.hasLinks));
  const layout = hasLinks
    ? undefined
    : layOutTable(
        cells.map((row) => row.map((cell) => cell.text)),
        node.align ?? [],
      );
  if (layout !== undefined) writePreformatted(draft, undefined, () => writeText(draft, layout));
  else renderRecords(context, header, rows.slice(1));
  // Tables are cut only between rows: the rest of a cut row would lack its header.
  draft.spans.length = spanCount;
  draft.breaks.length = breakCount;
  context.tables.push({ node, containers: context.containers, textStart, textEnd: draft.text.length });
}

function toCellLine(context: RenderContext, cell: TableCell): PlainLine {
  const cached = context.cellLines.get(cell);
  if (cached) return cached;
  const line = toPlainLine(context, cell.children);
  context.cellLines.set(cell, line);
  return line;
}

function renderRecords(context: RenderContext, header: TableRow, rows: readonly TableRow[]): void {
  // Only the header so far: show the column names.
  if (rows.length === 0) renderNames(context, header);
  for (const [index, row] of rows.entries()) {
    if (index > 0) requestNewlines(context.draft, 2);
    for (const [column, cell] of row.children.entries()) renderField(context, header, cell, column);
  }
}

function renderNames(context: RenderContext, header: TableRow): void {
  const names = header.children.map((cell) => toCellLine(context, cell).text);
  writeStyled(context.draft, { type: 'bold' }, () => writeText(context.draft, names.join(' | ')));
}

function renderField(context: RenderContext, header: TableRow, cell: TableCell, column: number): void {
  const { draft } = context;
  if (toCellLine(context, cell).text === '') return;
  requestNewlines(draft, 1);
  const name = header.children[column];
  const nameText = name ? toCellLine(context, name).text : '';
  if (nameText !== '') {
    writeStyled(draft, { type: 'bold' }, () => writeText(draft, `${nameText}:`));
    writeText(draft, ' ');
  }
  renderInlines(context, cell.children);
}
