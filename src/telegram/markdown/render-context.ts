import type { Table, TableCell } from 'mdast';
import type { PageDraft } from './page-draft.ts';
import type { ParsedMarkdown } from './parse-markdown.ts';
import { reopenWithinLine } from './reopen-source.ts';
import type { Container } from './source-position.ts';

/** A table in the draft: the only block whose look depends on how much of it is shown. */
export interface DraftTable {
  readonly node: Table;
  readonly containers: readonly Container[];
  /** The length of the draft's text before the table and behind it. */
  readonly textStart: number;
  textEnd: number;
}

/** Inline content as one line of plain text. */
export interface PlainLine {
  readonly text: string;
  /** True where the plain text would lose a link. */
  readonly hasLinks: boolean;
}

/** What rendering a node takes: the draft that grows, the source it comes from, and where in the source we are. */
export interface RenderContext {
  readonly draft: PageDraft;
  readonly parsed: ParsedMarkdown;
  readonly tables: DraftTable[];
  /** How many body rows of a table to show, where not all. */
  readonly rowLimits: ReadonlyMap<Table, number>;
  /** Plain lines of cells, shared by the drafts of one source. */
  readonly cellLines: Map<TableCell, PlainLine>;
  readonly containers: readonly Container[];
  /** The nesting of the list we are in: 0 outside of lists. */
  readonly listLevel: number;
  readonly paragraphStart: number | undefined;
  /** The markers of the emphasis we are in, outermost first: `**_`. */
  readonly openMarkers: string;
}

/** The Markdown that lets the source go on at a place within this paragraph. */
export function reopenInline(context: RenderContext): string {
  return reopenWithinLine(context.containers) + context.openMarkers;
}
