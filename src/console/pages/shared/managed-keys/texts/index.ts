import type { TextsOf } from '../../../../texts/index.ts';
import { english } from './english.ts';
import { russian } from './russian.ts';

export const texts: TextsOf<typeof english> = { en: english, ru: russian };
