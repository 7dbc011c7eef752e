import { english, type Texts } from './english.ts';
import { DEFAULT_LOCALE, type Locale } from './locale.ts';
import { russian } from './russian.ts';

export type { InputCapabilities, Texts } from './english.ts';
export { DEFAULT_LOCALE, type Locale } from './locale.ts';

/** Texts that features share. Those of one feature are in its own folder. */
export const locales: Readonly<Record<Locale, Texts>> = { en: english, ru: russian };

/** Codes of all locales, in the order of the menu. */
export const localeCodes = Object.keys(locales).filter(isLocale);

function isLocale(code: string): code is Locale {
  return Object.hasOwn(locales, code);
}

/**
 * Returns the locale for the first IETF tag that matches (`ru`, `pt-br`, as Telegram sends them); the default one if
 * none does.
 */
export function findLocale(...tags: readonly (string | undefined)[]): Locale {
  for (const tag of tags) {
    const code = tag?.split('-')[0]?.toLowerCase();
    if (code !== undefined && isLocale(code)) return code;
  }
  return DEFAULT_LOCALE;
}
