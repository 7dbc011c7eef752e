import { useEffect } from 'preact/hooks';

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
