import type { CallbackAction } from './actions.ts';
import type { ActionButton } from './keyboards.ts';

/** One page of a list, and a row of buttons for the other pages. */
export interface PagedRows<Item> {
  /** From 0; the last page if the wanted one does not exist. */
  readonly page: number;
  readonly shown: readonly Item[];
  /** Empty if there is only one page. */
  readonly pagerRow: readonly ActionButton[];
}

/** Returns one page of a list. @param toAction returns the action that shows a page. */
export function toPagedRows<Item>(
  items: readonly Item[],
  wantedPage: number,
  perPage: number,
  toAction: (page: number) => CallbackAction,
): PagedRows<Item> {
  const pageCount = Math.max(1, Math.ceil(items.length / perPage));
  const page = Math.min(Math.max(0, wantedPage), pageCount - 1);
  const shown = items.slice(page * perPage, (page + 1) * perPage);
  return { page, shown, pagerRow: toPagerRow(page, pageCount, toAction) };
}

/** Returns the row of buttons for other pages; empty if there is only one page. */
function toPagerRow(
  page: number,
  pageCount: number,
  toAction: (page: number) => CallbackAction,
): readonly ActionButton[] {
  if (pageCount <= 1) return [];
  return [
    // Wraps around, so that the buttons keep their positions.
    { text: '«', action: toAction((page - 1 + pageCount) % pageCount) },
    { text: `${page + 1}/${pageCount}`, action: { kind: 'show-page-number' } },
    { text: '»', action: toAction((page + 1) % pageCount) },
  ];
}

/**
 * Loads one page of a list that is too long to be loaded as a whole: the last one if the wanted one does not exist.
 * @param toAction returns the action that shows a page.
 */
export async function loadPagedRows<List extends { readonly totalCount: number }>(
  wantedPage: number,
  perPage: number,
  load: (range: { readonly offset: number; readonly limit: number }) => Promise<List>,
  toAction: (page: number) => CallbackAction,
): Promise<List & Omit<PagedRows<never>, 'shown'>> {
  const loadAt = async (page: number) => ({ page, ...(await load({ offset: page * perPage, limit: perPage })) });
  const wanted = await loadAt(Math.max(0, wantedPage));
  const pageCount = Math.max(1, Math.ceil(wanted.totalCount / perPage));
  const list = wanted.page < pageCount ? wanted : await loadAt(pageCount - 1);
  return { ...list, pagerRow: toPagerRow(list.page, pageCount, toAction) };
}
