import { english, type Texts } from './english.ts';
import { DEFAULT_LOCALE, type Locale } from './locale.ts';
import { russian } from './russian.ts';

export type { Senses, Texts } from './english.ts';
export { DEFAULT_LOCALE, type Locale } from './locale.ts';

/** The words that features share. Those of one feature are in its own folder. */
export const locales: Readonly<Record<Locale, Texts>> = { en: english, ru: russian };

/** The codes of all locales, in the order in which they are offered. */
export const localeCodes = Object.keys(locales).filter(isLocale);

function isLocale(code: string): code is Locale {
  return Object.hasOwn(locales, code);
}

/** The locale of an IETF tag as Telegram sends it (`ru`, `pt-br`); the default one where nothing fits. */
export function findLocale(...tags: readonly (string | undefined)[]): Locale {
  for (const tag of tags) {
    const code = tag?.split('-')[0]?.toLowerCase();
    if (code !== undefined && isLocale(code)) return code;
  }
  return DEFAULT_LOCALE;
}
