import type { Choice } from './choice.ts';
import type { ChoiceButton } from './keyboard.ts';

/** One page of a list, and the row of buttons that leads to the others. */
export interface PagedRows<Item> {
  /** From 0; a page that does not exist is the last one. */
  readonly page: number;
  readonly shown: readonly Item[];
  /** Empty where everything is on one page. */
  readonly turnRow: readonly ChoiceButton[];
}

/** @param toChoice what a press that leads to a page means. */
export function toPagedRows<Item>(
  items: readonly Item[],
  wantedPage: number,
  perPage: number,
  toChoice: (page: number) => Choice,
): PagedRows<Item> {
  const pageCount = Math.max(1, Math.ceil(items.length / perPage));
  const page = Math.min(Math.max(0, wantedPage), pageCount - 1);
  const shown = items.slice(page * perPage, (page + 1) * perPage);
  return { page, shown, turnRow: toTurnRow(page, pageCount, toChoice) };
}

/** The row below one page of `pageCount`; empty where there is only one. */
export function toTurnRow(
  page: number,
  pageCount: number,
  toChoice: (page: number) => Choice,
): readonly ChoiceButton[] {
  if (pageCount <= 1) return [];
  return [
    // The ends wrap around, so that no button moves under the finger.
    { text: '«', choice: toChoice((page - 1 + pageCount) % pageCount) },
    { text: `${page + 1}/${pageCount}`, choice: { kind: 'show-page-number' } },
    { text: '»', choice: toChoice((page + 1) % pageCount) },
  ];
}
