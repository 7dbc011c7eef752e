import type { ListItem, Node } from 'mdast';
import { CONTINUED } from './prepare-source.ts';

/** What surrounds a block: the innermost last. */
export type Container =
  | { readonly type: 'quote' }
  /**
   * `marker` is the item's own with the spaces behind it: `3. `. `numberLead` is a hidden item to put before it where its
   * number is not the one that the list has come to, as in lists numbered 1. 1. 1.; usually ''.
   */
  | { readonly type: 'item'; readonly marker: string; readonly numberLead: string };

/** Where a node begins in the source. Nodes made by the parser always have a place. */
export function getStart(node: Node): number {
  return node.position?.start.offset ?? 0;
}

/** Behind the node's last character in the source. */
export function getEnd(node: Node): number {
  return node.position?.end.offset ?? 0;
}

/** The start of the line that holds the offset. */
export function getLineStart(source: string, offset: number): number {
  return offset === 0 ? 0 : source.lastIndexOf('\n', offset - 1) + 1;
}

/** Behind the indentation and `>` marks that the line at the offset begins with. */
export function skipLinePrefix(source: string, offset: number): number {
  const prefix = /[ \t>]*/y;
  prefix.lastIndex = offset;
  return offset + (prefix.exec(source)?.[0].length ?? 0);
}

/** A list item's marker with the spaces that count to it. */
export function getItemMarker(source: string, item: ListItem): string {
  const start = getStart(item);
  const [, mark = '-', spaces = ''] = ITEM_MARKER.exec(source.slice(start, start + 24)) ?? [];
  return mark + ' '.repeat(spaces.length > 4 ? 1 : Math.max(1, spaces.length));
}

/** A hidden item that makes a list come to `number` with this item; '' where its own number does that. */
export function getNumberLead(source: string, item: ListItem, number: number | undefined): string {
  const start = getStart(item);
  const mark = ITEM_MARKER.exec(source.slice(start, start + 24))?.[1] ?? '';
  if (number === undefined || number === 0 || Number.parseInt(mark, 10) === number) return '';
  return `${number - 1}${mark.slice(-1)} ${CONTINUED}`;
}

const ITEM_MARKER = /^([-+*]|\d{1,9}[.)])([ \t]*)/;
