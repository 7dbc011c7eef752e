import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { ApiError, request } from './request.ts';
import type { List } from './use-query.ts';

/** One page of a list, as the service answers. */
export interface Page<Item> extends List<Item> {
  readonly next_cursor: string | null;
}

/** A list that is loaded page by page. */
export interface Pages<Item, Answer = Page<Item>> {
  /** Items of the pages so far; undefined before the first one. */
  readonly items: readonly Item[] | undefined;
  /** The newest page as it was answered, for totals. */
  readonly newest: Answer | undefined;
  readonly error: ApiError | undefined;
  readonly isLoading: boolean;
  /** Loads the next page; undefined after the last one. */
  readonly loadMore: (() => void) | undefined;
  /** Loads the list again from its beginning. */
  readonly reload: () => void;
}

interface State<Item, Answer> {
  readonly path: string;
  readonly items?: readonly Item[] | undefined;
  readonly newest?: Answer | undefined;
  readonly error?: ApiError | undefined;
  readonly isLoading: boolean;
}

/**
 * Loads a list with cursors.
 * @param path with its filters: `api/users?plan=free`.
 */
export function usePages<Item, Answer extends Page<Item> = Page<Item>>(path: string): Pages<Item, Answer> {
  const [state, setState] = useState<State<Item, Answer>>({ path, isLoading: true });
  const [count, setCount] = useState(0);
  const gone = useRef(new AbortController());
  const load = useCallback(
    (before: readonly Item[], cursor?: string) => {
      const { signal } = gone.current;
      setState((now) => ({ ...(now.path === path ? now : { path }), error: undefined, isLoading: true }));
      const address = cursor === undefined ? path : `${path}${path.includes('?') ? '&' : '?'}cursor=${cursor}`;
      request<Answer>('GET', address, { signal }).then(
        (newest) => setState({ path, items: [...before, ...newest.data], newest, isLoading: false }),
        (error: unknown) => {
          if (signal.aborted) return;
          if (!(error instanceof ApiError)) throw error;
          setState((now) => ({ ...now, error, isLoading: false }));
        },
      );
    },
    [path],
  );
  useEffect(() => {
    gone.current = new AbortController();
    load([]);
    return () => gone.current.abort();
  }, [load, count]);
  const { items, newest, error, isLoading } = state.path === path ? state : { isLoading: true };
  const cursor = newest?.next_cursor;
  return {
    items,
    newest,
    error,
    isLoading,
    loadMore: cursor && items && !isLoading ? () => load(items, cursor) : undefined,
    reload: useCallback(() => setCount((before) => before + 1), []),
  };
}
