import { useCallback, useEffect, useState } from 'preact/hooks';
import { ApiError, request } from './request.ts';

/** State of a request that can be sent again. After a failure the earlier data stays. */
export interface Query<Data> {
  readonly data: Data | undefined;
  readonly error: ApiError | undefined;
  /** Sends the request again. */
  readonly reload: () => void;
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
}

/**
 * Sends a GET request when the component appears and when `path` changes. Without a connection it tries again.
 * @param path undefined: no request yet.
 */
export function useQuery<Data>(path: string | undefined) {
  return useLoaded<Data>(path, get);
}

function get<Data>(path: string, signal: AbortSignal): Promise<Data> {
  return request<Data>('GET', path, { signal });
}

/** @throws ApiError; the signal's reason. */
type Load<Data> = (path: string, signal: AbortSignal) => Promise<Data>;

/** Like `useQuery`. @param load must be the same function in each rendering. */
export function useLoaded<Data>(path: string | undefined, load: Load<Data>) {
  const [count, setCount] = useState(0);
  const [state, setState] = useState<State<Data>>({ path });
  const reload = useCallback(() => setCount((before) => before + 1), []);
  useEffect(() => {
    if (path === undefined) return;
    const gone = new AbortController();
    setState((before) => (before.path === path ? before : { path }));
    load(path, gone.signal).then(
      (data) => setState({ path, data }),
      (error: unknown) => {
        if (gone.signal.aborted) return;
        if (!(error instanceof ApiError)) throw error;
        setState((before) => ({ ...before, error }));
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
  const isCurrent = state.path === path;
  return {
    data: isCurrent ? state.data : undefined,
    error: isCurrent ? state.error : undefined,
    reload,
    /** Replaces the data by what a change has answered. */
    setData: (data: Data) => setState((before) => ({ ...before, data })),
  };
}

/** Calls `reload` at an interval while the page is visible, and as soon as it becomes visible again. */
export function useRefresh(reload: () => void, intervalMs: number): void {
  useEffect(() => {
    const reloadIfVisible = () => {
      if (document.visibilityState === 'visible') reload();
    };
    const timer = setInterval(reloadIfVisible, intervalMs);
    document.addEventListener('visibilitychange', reloadIfVisible);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', reloadIfVisible);
    };
  }, [reload, intervalMs]);
}
