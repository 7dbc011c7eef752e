import { ApiError } from '../../api/request.ts';
import type { english } from './texts/english.ts';

/** Returns the text about a refusal in the user's language; undefined for other errors. */
export function findProblem({ problems }: typeof english, error: unknown): string | undefined {
  if (!(error instanceof ApiError) || !Object.hasOwn(problems, error.code)) return undefined;
  return problems[error.code as keyof typeof problems];
}
