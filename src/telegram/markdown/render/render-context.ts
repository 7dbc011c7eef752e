import type { Table, TableCell } from 'mdast';
import type { ParsedMarkdown } from '../parse/parse-markdown.ts';
import type { Container } from '../parse/source-position.ts';
import type { PageDraft } from './page-draft.ts';
import { reopenWithinLine } from './reopen-source.ts';

/** A table in the draft: the only block whose layout depends on how much of it is shown. */
export interface DraftTable {
  readonly node: Table;
  readonly containers: readonly Container[];
  /** Lengths of the draft's text before and after the table. */
  readonly textStart: number;
  textEnd: number;
}

/** Inline content as one line of plain text. */
export interface PlainLine {
  readonly text: string;
  /** True if the plain text loses a link. */
  readonly hasLinks: boolean;
}

/** State of rendering a node: the growing draft, the source, and the current position in it. */
export interface RenderContext {
  readonly draft: PageDraft;
  readonly parsed: ParsedMarkdown;
  readonly tables: DraftTable[];
  /** Maximum number of body rows, for tables that are not shown completely. */
  readonly rowLimits: ReadonlyMap<Table, number>;
  /** Plain lines of cells, shared by the drafts of one source. */
  readonly cellLines: Map<TableCell, PlainLine>;
  readonly containers: readonly Container[];
  /** Nesting level of the current list; 0 outside of lists. */
  readonly listLevel: number;
  readonly paragraphStart: number | undefined;
  /** Markers of the open emphasis, outermost first: `**_`. */
  readonly openMarkers: string;
}

/** Returns the Markdown that reopens the source within the current paragraph. */
export function reopenInline(context: RenderContext): string {
  return reopenWithinLine(context.containers) + context.openMarkers;
}
