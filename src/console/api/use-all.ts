import { ApiError, request, TOO_MANY_ROWS } from './request.ts';
import { atCursor, type Page } from './use-pages.ts';
import { type Query, useLoaded } from './use-query.ts';

const MAX_PAGES = 20;

/**
 * Loads a list as a whole. A list of more than 20 pages is refused with `TOO_MANY_ROWS`.
 * @param path with its filters and a large `limit`.
 */
export function useAll<Item>(path: string): Query<readonly Item[]> {
  return useLoaded<readonly Item[]>(path, requestAll);
}

async function requestAll<Item>(path: string, signal: AbortSignal): Promise<readonly Item[]> {
  const items: Item[] = [];
  let address = path;
  for (let count = 0; count < MAX_PAGES; count += 1) {
    const { data, next_cursor: cursor } = await request<Page<Item>>('GET', address, { signal });
    items.push(...data);
    if (cursor === null) return items;
    address = atCursor(path, cursor);
  }
  throw new ApiError(400, TOO_MANY_ROWS, '');
}
