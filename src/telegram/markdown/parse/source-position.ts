import type { ListItem, Node } from 'mdast';
import { CONTINUED } from './prepare-source.ts';

/** Container of a block; lists of containers have the innermost last. */
export type Container =
  | { readonly type: 'quote' }
  /**
   * `marker` is the item's own with the spaces after it: `3. `. `numberLead` is a hidden item to prepend if the item's
   * number differs from its position, as in lists numbered 1. 1. 1.; usually ''.
   */
  | { readonly type: 'item'; readonly marker: string; readonly numberLead: string };

/** Returns the source offset of a node's start. Nodes made by the parser always have a position. */
export function getStart(node: Node): number {
  return node.position?.start.offset ?? 0;
}

/** Returns the source offset after a node's last character. */
export function getEnd(node: Node): number {
  return node.position?.end.offset ?? 0;
}

/** Returns the start of the line that contains the offset. */
export function getLineStart(source: string, offset: number): number {
  return offset === 0 ? 0 : source.lastIndexOf('\n', offset - 1) + 1;
}

/** Returns the offset after the indentation and `>` marks that begin at the offset. */
export function skipLinePrefix(source: string, offset: number): number {
  const prefix = /[ \t>]*/y;
  prefix.lastIndex = offset;
  return offset + (prefix.exec(source)?.[0].length ?? 0);
}

/** Returns a list item's marker, including the spaces that belong to it. */
export function getItemMarker(source: string, item: ListItem): string {
  const start = getStart(item);
  const [, mark = '-', spaces = ''] = ITEM_MARKER.exec(source.slice(start, start + 24)) ?? [];
  return mark + ' '.repeat(spaces.length > 4 ? 1 : Math.max(1, spaces.length));
}

/**
 * Returns a hidden item that makes a list continue with `number` at this item; '' if the item's own number does that.
 */
export function getNumberLead(source: string, item: ListItem, number: number | undefined): string {
  const start = getStart(item);
  const mark = ITEM_MARKER.exec(source.slice(start, start + 24))?.[1] ?? '';
  if (number === undefined || number === 0 || Number.parseInt(mark, 10) === number) return '';
  return `${number - 1}${mark.slice(-1)} ${CONTINUED}`;
}

const ITEM_MARKER = /^([-+*]|\d{1,9}[.)])([ \t]*)/;
