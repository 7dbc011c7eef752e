import { ApiError, type RequestOptions, request } from './request.ts';
import type { Page } from './use-pages.ts';
import { type Query, useLoaded } from './use-query.ts';

/** Pages loaded at most. */
const MAX_PAGES = 20;

/**
 * Loads a list of a period as a whole. If it is too long, the query fails with the error that the service has for too
 * long periods.
 * @param path with its filters and a large `limit`.
 */
export function useAll<Item>(path: string | undefined): Query<readonly Item[]> {
  return useLoaded<readonly Item[]>(path, requestAll);
}

async function requestAll<Item>(method: string, path: string, options: RequestOptions): Promise<readonly Item[]> {
  const items: Item[] = [];
  let address = path;
  for (let count = 0; count < MAX_PAGES; count += 1) {
    const { data, next_cursor: cursor } = await request<Page<Item>>(method, address, options);
    items.push(...data);
    if (cursor === null) return items;
    address = `${path}&cursor=${cursor}`;
  }
  throw new ApiError(400, 'too_long', '', 'from');
}
