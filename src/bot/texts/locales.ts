import { english, type Texts } from './english.ts';
import type { Locale } from './locale.ts';
import { russian } from './russian.ts';

export type { InputCapabilities, Texts } from './english.ts';
export { DEFAULT_LOCALE, findLocale, type Locale, localeCodes } from './locale.ts';

/** Texts that features share. Those of one feature are in its own folder. */
export const locales: Readonly<Record<Locale, Texts>> = { en: english, ru: russian };
