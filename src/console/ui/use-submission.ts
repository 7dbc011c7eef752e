import { useState } from 'preact/hooks';
import { ApiError } from '../api/request.ts';
import { useLocale } from '../view-context.ts';
import { describeError, type Problems } from './describe-error.ts';
import { type Action, useAction } from './use-action.ts';

/** Work of a form, which shows its errors itself. */
interface Submission extends Action<[]> {
  /** Text about the error of the last attempt. */
  readonly problem: string | undefined;
  /** Removes that text. */
  readonly forget: () => void;
}

/** Returns the work that a form starts. @param problems texts about its own refusals. */
export function useSubmission(work: () => Promise<void>, problems?: Problems): Submission {
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
  return { ...action, problem, forget };
}
