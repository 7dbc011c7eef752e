import type { LanguageCode } from 'grammy/types';
import { english, type Texts } from './english.ts';
import { russian } from './russian.ts';

export type { Senses, Texts } from './english.ts';

/** Every language that the bot speaks, by its ISO 639-1 code. A new locale is one file beside this one and one line here. */
export const locales = {
  en: english,
  ru: russian,
} as const satisfies Partial<Record<LanguageCode, Texts>>;

export type Locale = keyof typeof locales;

/** What is spoken to people whose language the bot does not know. */
export const DEFAULT_LOCALE: Locale = 'en';

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
