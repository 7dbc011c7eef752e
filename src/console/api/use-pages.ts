import { useCallback, useRef, useState } from 'preact/hooks';
import { ApiError, request, TOO_MANY_ROWS } from './request.ts';
import { type List, type Query, useLoaded, useQuery } from './use-query.ts';

/** One page of a list, as the service answers. */
interface Page<Item> extends List<Item> {
  readonly next_cursor: string | null;
}

/** A list that is loaded page by page. */
export type Pages<Item> = ReturnType<typeof usePages<Item>>;

/** Place of the page that was asked for last. */
interface Place<Item> {
  readonly path: string;
  readonly cursor: string;
  /** Items of the pages before. */
  readonly before: readonly Item[];
}

/** Pages that have been loaded; shown while the next one is. */
interface Shown<Item, Answer> {
  readonly path: string;
  readonly items: readonly Item[];
  readonly newest: Answer;
}

/**
 * Loads a list with cursors.
 * @param path with its filters: `api/users?plan=free`.
 */
export function usePages<Item, Answer extends Page<Item> = Page<Item>>(path: string) {
  const [reached, setReached] = useState<Place<Item>>();
  const place = reached?.path === path ? reached : undefined;
  const { data, error, reload: retry } = useQuery<Answer>(place ? atCursor(path, place.cursor) : path);
  const latest = useRef<Shown<Item, Answer>>(undefined);
  if (data) latest.current = { path, items: [...(place?.before ?? []), ...data.data], newest: data };
  const { items, newest } = latest.current?.path === path ? latest.current : {};
  const cursor = newest?.next_cursor;
  const reload = useCallback(() => {
    setReached(undefined);
    retry();
  }, [retry]);
  return {
    /** Items of the pages so far; undefined before the first one. */
    items,
    /** The newest page as it was answered, for totals. */
    newest,
    error,
    /** Whether the first or the next page is being loaded. */
    isLoading: !data && !error,
    /** Loads the page again that has failed. */
    retry,
    /** Loads the next page; undefined after the last one. */
    loadMore: cursor && items && data && !error ? () => setReached({ path, cursor, before: items }) : undefined,
    /** Loads the list again from its beginning. */
    reload,
  };
}

/** Returns the address of a later page of a list. */
function atCursor(path: string, cursor: string): string {
  return `${path}${path.includes('?') ? '&' : '?'}cursor=${cursor}`;
}

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
