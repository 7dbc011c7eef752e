import { englishSize } from '../bot/texts/english-units.ts';
import { russianSize } from '../bot/texts/russian-units.ts';
import { useLocale } from './view-context.ts';

const sizes = { en: englishSize, ru: russianSize };

/** Returns a function that formats bytes in the user's language: `1.2 MB`. */
export function useSizeFormat(): (bytes: number) => string {
  return sizes[useLocale()];
}
