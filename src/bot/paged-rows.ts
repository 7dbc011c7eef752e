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
  if (pageCount === 1) return { page, shown, turnRow: [] };
  const turnRow: ChoiceButton[] = [
    // The ends wrap around, so that no button moves under the finger.
    { text: '«', choice: toChoice((page - 1 + pageCount) % pageCount) },
    { text: `${page + 1}/${pageCount}`, choice: { kind: 'show-page-number' } },
    { text: '»', choice: toChoice((page + 1) % pageCount) },
  ];
  return { page, shown, turnRow };
}
