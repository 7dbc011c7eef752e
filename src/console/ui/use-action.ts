import { useState } from 'preact/hooks';
import type { Locale } from '../../texts/locale.ts';
import { ApiError } from '../api/request.ts';
import { useLocale } from '../view-context.ts';
import { describeError, type Problems } from './describe-error.ts';
import { showToast } from './toasts.tsx';

/** A problem that the page itself finds. Its message is shown as it is. */
export class FormProblem extends Error {
  override readonly name = 'FormProblem';
}

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
      .catch((error: unknown) => showToast(toText(locale, error, problems), 'error'))
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
      setProblem(toText(locale, error, problems));
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

/** Returns the text about an error. @throws the error if users can do nothing about it. */
function toText(locale: Locale, error: unknown, problems: Problems | undefined): string {
  if (error instanceof FormProblem) return error.message;
  if (error instanceof ApiError) return describeError(locale, error, problems);
  throw error;
}
