import { DEFAULT_LOCALE, type Locale } from '../../texts/locale.ts';
import { type ApiError, QUERY_TOO_SLOW, TOO_MANY_ROWS } from '../api/request.ts';
import { refusals } from '../refusals.ts';
import { texts } from '../texts.ts';

/** Texts about refusals, by their codes. */
export type Problems = Readonly<Record<string, string>>;

/**
 * Returns what a user can do about an error. Refusals of the service explain themselves, in English.
 * @param problems texts that are used instead.
 */
export function describeError(locale: Locale, error: ApiError, problems: Problems = {}): string {
  const words = texts[locale].error;
  const { status, code, param, message } = error;
  const known = locale === DEFAULT_LOCALE ? {} : refusals[locale];
  const problem = findText(problems, code) ?? findText(known, `${code}:${param}`) ?? findText(known, code);
  if (problem !== undefined) return problem;
  if (status === 0) return words.offline;
  if (code === TOO_MANY_ROWS || code === QUERY_TOO_SLOW) return words.longPeriod;
  if (status === 412) return words.changed;
  if (status === 429) return words.tooMany;
  return status >= 500 || message === '' ? words.internal : words.refused(message);
}

function findText(texts: Problems, code: string): string | undefined {
  return Object.hasOwn(texts, code) ? texts[code] : undefined;
}
