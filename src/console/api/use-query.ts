import { useCallback, useEffect, useState } from 'preact/hooks';
import { ApiError, type RequestOptions, request } from './request.ts';

/** What a request has answered so far. After a failure the earlier data stays. */
export interface Query<Data> {
  readonly data: Data | undefined;
  readonly error: ApiError | undefined;
  readonly isLoading: boolean;
  /** Sends the request again. */
  readonly reload: () => void;
  /** Replaces the data by what a change has answered. */
  readonly setData: (data: Data) => void;
}

/** A list as the service answers it. */
export interface List<Item> {
  readonly data: readonly Item[];
}

const RETRY_MS = 5000;

interface State<Data> {
  readonly path: string | undefined;
  readonly data?: Data | undefined;
  readonly error?: ApiError | undefined;
  readonly isLoading: boolean;
}

/**
 * Sends a GET request when the component appears and when `path` changes. Without a connection it tries again.
 * @param path undefined: no request yet.
 */
export function useQuery<Data>(path: string | undefined): Query<Data> {
  return useLoaded<Data>(path, request);
}

type Load<Data> = (method: string, path: string, options: RequestOptions) => Promise<Data>;

/** Like `useQuery`. @param load must be the same function in each rendering. */
export function useLoaded<Data>(path: string | undefined, load: Load<Data>): Query<Data> {
  const [count, setCount] = useState(0);
  const [state, setState] = useState<State<Data>>({ path, isLoading: path !== undefined });
  const reload = useCallback(() => setCount((before) => before + 1), []);
  useEffect(() => {
    if (path === undefined) return;
    const gone = new AbortController();
    setState((before) => (before.path === path ? { ...before, isLoading: true } : { path, isLoading: true }));
    load('GET', path, { signal: gone.signal }).then(
      (data) => setState({ path, data, isLoading: false }),
      (error: unknown) => {
        if (gone.signal.aborted) return;
        if (!(error instanceof ApiError)) throw error;
        setState((before) => ({ ...before, error, isLoading: false }));
      },
    );
    return () => gone.abort();
  }, [path, count, load]);
  const isOffline = state.error?.code === 'offline';
  useEffect(() => {
    if (!isOffline) return;
    const timer = setInterval(reload, RETRY_MS);
    addEventListener('online', reload);
    return () => {
      clearInterval(timer);
      removeEventListener('online', reload);
    };
  }, [isOffline, reload]);
  const setData = useCallback((data: Data) => setState((before) => ({ ...before, data })), []);
  const isCurrent = state.path === path;
  return {
    data: isCurrent ? state.data : undefined,
    error: isCurrent ? state.error : undefined,
    isLoading: !isCurrent || state.isLoading,
    reload,
    setData,
  };
}
