import { useState } from 'preact/hooks';
import { ApiError } from '../api/request.ts';
import { useLocale } from '../view-context.ts';
import { describeError, type Problems } from './describe-error.ts';
import { showToast } from './toasts.tsx';

/** Returns work that a user starts, whose errors are shown as short messages. @param problems texts about its own refusals. */
export function useAction<Options extends readonly unknown[]>(
  work: (...options: Options) => Promise<void>,
  problems?: Problems,
) {
  const locale = useLocale();
  const [isRunning, setIsRunning] = useState(false);
  /** Starts the work unless it is running. */
  const run = (...options: Options) => {
    if (isRunning) return;
    setIsRunning(true);
    work(...options)
      .catch((error: unknown) => {
        if (!(error instanceof ApiError)) throw error;
        showToast(describeError(locale, error, problems), 'error');
      })
      .finally(() => setIsRunning(false));
  };
  return { run, isRunning };
}

/** Returns the work of a form, which shows its errors itself. @param problems texts about its own refusals. */
export function useSubmission(work: () => Promise<void>, problems?: Problems) {
  const locale = useLocale();
  const [problem, setProblem] = useState<string>();
  const forget = () => setProblem(undefined);
  const action = useAction(async () => {
    forget();
    try {
      await work();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      setProblem(describeError(locale, error, problems));
    }
  });
  return {
    ...action,
    /** Text about the error of the last attempt. */
    problem,
    /** Removes that text. */
    forget,
  };
}
