import { useLocale } from './view-context.ts';

/** Returns a function that formats a number in the user's language: `1,234`. */
export function useCountFormat(): (count: number) => string {
  const { format } = new Intl.NumberFormat(useLocale());
  return format;
}
