import type { DEFAULT_LOCALE, Locale } from './locale.ts';

/** Something in every language. */
export type TextsOf<Words> = Readonly<Record<Locale, Words>>;

/**
 * Returns the same texts, with the types of the English ones. The compiler requires every language, and in it every
 * text of English; parameters of functions get their types from there.
 */
export function defineTexts<Words>(
  texts: { readonly [code in typeof DEFAULT_LOCALE]: Words } & TextsOf<NoInfer<Words>>,
): TextsOf<Words> {
  return texts;
}
