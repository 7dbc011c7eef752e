/** Codes of the languages (ISO 639-1), in the order of the menu. For a new one the compiler requires texts everywhere. */
export const localeCodes = ['en', 'ru'] as const;

export type Locale = (typeof localeCodes)[number];

/** Language for users with a language that the bot does not support. */
export const DEFAULT_LOCALE = 'en' satisfies Locale;

/**
 * Returns the locale for the first IETF tag that matches (`ru`, `pt-br`, as Telegram sends them); the default one if
 * none does.
 */
export function findLocale(...tags: readonly (string | undefined)[]): Locale {
  for (const tag of tags) {
    const code = tag?.split('-')[0]?.toLowerCase();
    const found = localeCodes.find((known) => known === code);
    if (found) return found;
  }
  return DEFAULT_LOCALE;
}
