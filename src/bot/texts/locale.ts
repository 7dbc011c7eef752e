/** Languages of the bot by ISO 639-1 code. For a new one the compiler requires texts in every feature. */
export type Locale = 'en' | 'ru';

/** Language for users with a language that the bot does not support. */
export const DEFAULT_LOCALE: Locale = 'en';
