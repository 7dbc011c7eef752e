/** The languages that the bot speaks, by ISO 639-1 code. For another one the compiler asks for its words in every feature. */
export type Locale = 'en' | 'ru';

/** What is spoken to people whose language the bot does not know. */
export const DEFAULT_LOCALE: Locale = 'en';
