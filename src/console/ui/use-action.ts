import { useCallback, useState } from 'preact/hooks';
import { ApiError } from '../api/request.ts';
import { useLocale } from '../view-context.ts';
import { describeError } from './describe-error.ts';
import { showToast } from './toasts.tsx';

/** Work that a user starts. */
interface Action<Options extends readonly unknown[]> {
  /** Starts the work unless it is running. Errors are shown. */
  readonly run: (...options: Options) => void;
  readonly isRunning: boolean;
}

export function useAction<Options extends readonly unknown[]>(
  work: (...options: Options) => Promise<void>,
): Action<Options> {
  const locale = useLocale();
  const [isRunning, setIsRunning] = useState(false);
  const run = useCallback(
    (...options: Options) => {
      if (isRunning) return;
      setIsRunning(true);
      work(...options)
        .catch((error: unknown) => {
          if (!(error instanceof ApiError)) throw error;
          showToast(describeError(locale, error), 'error');
        })
        .finally(() => setIsRunning(false));
    },
    [work, isRunning, locale],
  );
  return { run, isRunning };
}
