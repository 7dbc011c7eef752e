import type { Locale } from '../../bot/texts/locale.ts';
import { english, type Texts } from './english.ts';
import { russian } from './russian.ts';

export type { Texts } from './english.ts';

export const texts: TextsOf<Texts> = { en: english, ru: russian };

/** Texts by language. */
export type TextsOf<Words> = Readonly<Record<Locale, Words>>;
