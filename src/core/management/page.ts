/** Values of the sort columns of a row. They identify its place in a list. */
export type PageKey = readonly (string | number)[];

/** Request for a part of a list. */
export interface PageRequest {
  readonly limit: number;
  /** Place of the last row that the client has; undefined for the beginning. */
  readonly after?: PageKey | undefined;
}

/** Part of a list. Rows that are added or deleted meanwhile neither repeat nor hide others on the next page. */
export interface Page<Item> {
  readonly items: readonly Item[];
  /** Place of the last item; undefined if no more follow. */
  readonly next: PageKey | undefined;
}

/**
 * Makes a page of `limit` items.
 * @param rows the rows of the page, and one more if there are more.
 */
export function toPage<Row, Item>(
  rows: readonly Row[],
  limit: number,
  { toItem, toKey }: { readonly toItem: (row: Row) => Item; readonly toKey: (row: Row) => PageKey },
): Page<Item> {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return { items: items.map(toItem), next: rows.length > limit && last ? toKey(last) : undefined };
}
