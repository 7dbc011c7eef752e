import type { UserSettings } from '../../core/accounts/index.ts';
import type { BotServices } from '../kit/services.ts';
import { guessTimeZone } from './guess-time-zone.ts';

/** Time zone in which a user sees times, and in which tasks run. */
export interface UsedTimeZone {
  readonly timeZone: string;
  /** The user has not chosen it. */
  readonly isGuessed: boolean;
}

/**
 * Returns the time zone that a user has chosen, or the most probable one.
 * @param language of the user's app as an IETF tag. Default: as at the last guess.
 */
export function findTimeZone(
  { timeZone, guessedTimeZone, language: chosenLanguage }: UserSettings,
  language?: string | undefined,
): UsedTimeZone {
  if (timeZone !== undefined) return { timeZone, isGuessed: false };
  const known = language === undefined ? guessedTimeZone : undefined;
  return { timeZone: known ?? guessTimeZone([language, chosenLanguage]), isGuessed: true };
}

/** Stores the guess for places that do not know the language of the user's app, such as the console. */
export async function storeGuess(
  { accounts }: BotServices,
  { id, settings }: { readonly id: number; readonly settings: UserSettings },
  language: string | undefined,
): Promise<void> {
  const { timeZone, isGuessed } = findTimeZone(settings, language);
  if (isGuessed && timeZone !== settings.guessedTimeZone)
    await accounts.updateSettings(id, { guessedTimeZone: timeZone });
}
