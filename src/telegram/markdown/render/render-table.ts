import type { AlignType, Table, TableCell, TableRow } from 'mdast';
import { requestNewlines, writePreformatted, writeStyled, writeText } from './page-draft.ts';
import type { PlainLine, RenderContext } from './render-context.ts';
import { renderInlines, toPlainLine } from './render-inlines.ts';

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

const MAX_COLUMNS = 60;
// A right-to-left cell would reverse its whole line.
const RIGHT_TO_LEFT = /[\u0590-\u08FF\uFB1D-\uFDFD\uFE70-\uFEFC]/;

/**
 * Lays out rows (the header first) as monospaced lines with aligned columns. Returns undefined if a phone can't show
 * them: wider than 60 columns, or with right-to-left text.
 */
function layOutTable(rows: readonly (readonly string[])[], alignment: readonly AlignType[]): string | undefined {
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

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
// Wide and fullwidth ranges of Unicode's EastAsianWidth.txt, the blocks that occur in text.
const WIDE =
  /[\u1100-\u115F\u2E80-\u303E\u3041-\u33FF\u3400-\u4DBF\u4E00-\u9FFF\uA000-\uA4CF\uA960-\uA97C\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF01-\uFF60\uFFE0-\uFFE6\u{1B000}-\u{1B2FF}\u{1F200}-\u{1F2FF}\u{20000}-\u{3FFFD}]/u;
const EMOJI = /\p{Emoji_Presentation}|\p{Extended_Pictographic}\uFE0F|[\u{1F1E6}-\u{1F1FF}]|\u20E3/u;
const ASCII = /^[\x20-\x7E]*$/;
const INVISIBLE = /^[\p{M}\p{Cf}]+$/u;

/**
 * Returns the width of the text in columns of a monospaced font: ideographs and emoji take two, combining marks none.
 */
function getDisplayWidth(text: string): number {
  if (ASCII.test(text)) return text.length;
  let width = 0;
  for (const { segment } of graphemes.segment(text)) {
    if (INVISIBLE.test(segment)) continue;
    width += WIDE.test(segment) || EMOJI.test(segment) ? 2 : 1;
  }
  return width;
}
