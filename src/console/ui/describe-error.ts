import type { Locale } from '../../bot/texts/locale.ts';
import type { ApiError } from '../api/request.ts';
import { texts } from '../texts/index.ts';

/** Returns what a user can do about an error. Refusals of the service explain themselves, in English. */
export function describeError(locale: Locale, { status, field, message }: ApiError): string {
  const words = texts[locale].error;
  if (status === 0) return words.offline;
  // The console's periods are valid: one is refused only for the amount of data in it.
  if (status === 400 && field === 'from') return words.longPeriod;
  if (status === 412) return words.changed;
  if (status === 429) return words.tooMany;
  return status >= 500 || message === '' ? words.internal : message;
}
