import type { UserSettings } from '../../core/accounts/index.ts';
import type { BotServices } from '../kit/services.ts';

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

/** Time zones in which most speakers of a language live, or most of those with its country's variant. */
const BY_LANGUAGE: ReadonlyMap<string, string> = new Map([
  ['ar', 'Africa/Cairo'],
  ['ar-ae', 'Asia/Dubai'],
  ['ar-sa', 'Asia/Riyadh'],
  ['az', 'Asia/Baku'],
  ['be', 'Europe/Minsk'],
  ['bg', 'Europe/Sofia'],
  ['ca', 'Europe/Madrid'],
  ['cs', 'Europe/Prague'],
  ['da', 'Europe/Copenhagen'],
  ['de', 'Europe/Berlin'],
  ['de-at', 'Europe/Vienna'],
  ['de-ch', 'Europe/Zurich'],
  ['el', 'Europe/Athens'],
  ['en', 'Europe/London'],
  ['en-au', 'Australia/Sydney'],
  ['en-ca', 'America/Toronto'],
  ['en-ie', 'Europe/Dublin'],
  ['en-in', 'Asia/Kolkata'],
  ['en-nz', 'Pacific/Auckland'],
  ['en-sg', 'Asia/Singapore'],
  ['en-us', 'America/New_York'],
  ['en-za', 'Africa/Johannesburg'],
  ['es', 'Europe/Madrid'],
  ['es-ar', 'America/Argentina/Buenos_Aires'],
  ['es-cl', 'America/Santiago'],
  ['es-co', 'America/Bogota'],
  ['es-mx', 'America/Mexico_City'],
  ['fa', 'Asia/Tehran'],
  ['fi', 'Europe/Helsinki'],
  ['fr', 'Europe/Paris'],
  ['fr-be', 'Europe/Brussels'],
  ['fr-ca', 'America/Toronto'],
  ['fr-ch', 'Europe/Zurich'],
  ['he', 'Asia/Jerusalem'],
  ['hi', 'Asia/Kolkata'],
  ['hr', 'Europe/Zagreb'],
  ['hu', 'Europe/Budapest'],
  ['hy', 'Asia/Yerevan'],
  ['id', 'Asia/Jakarta'],
  ['it', 'Europe/Rome'],
  ['ja', 'Asia/Tokyo'],
  ['ka', 'Asia/Tbilisi'],
  ['kk', 'Asia/Almaty'],
  ['ko', 'Asia/Seoul'],
  ['ms', 'Asia/Kuala_Lumpur'],
  ['nl', 'Europe/Amsterdam'],
  ['no', 'Europe/Oslo'],
  ['pl', 'Europe/Warsaw'],
  ['pt', 'Europe/Lisbon'],
  ['pt-br', 'America/Sao_Paulo'],
  ['ro', 'Europe/Bucharest'],
  ['ru', 'Europe/Moscow'],
  ['sk', 'Europe/Bratislava'],
  ['sr', 'Europe/Belgrade'],
  ['sv', 'Europe/Stockholm'],
  ['th', 'Asia/Bangkok'],
  ['tr', 'Europe/Istanbul'],
  ['uk', 'Europe/Kyiv'],
  ['uz', 'Asia/Tashkent'],
  ['vi', 'Asia/Ho_Chi_Minh'],
  ['zh', 'Asia/Shanghai'],
  ['zh-hant', 'Asia/Taipei'],
  ['zh-hk', 'Asia/Hong_Kong'],
  ['zh-tw', 'Asia/Taipei'],
]);

/**
 * Returns the most probable time zone of a user.
 * @param languages IETF tags: that of the user's app, and the one chosen in the bot. English, which is spoken and chosen
 * everywhere, counts least.
 */
export function guessTimeZone(languages: readonly (string | undefined)[]): string {
  const tags = languages.flatMap((language) => (language === undefined ? [] : [language.toLowerCase()]));
  const isEnglish = (tag: string) => tag === 'en' || tag.startsWith('en-');
  const tag = tags.find((one) => !isEnglish(one)) ?? tags[0] ?? '';
  const parts = tag.split('-');
  const known = parts.map((_, index) => BY_LANGUAGE.get(parts.slice(0, parts.length - index).join('-')));
  return known.find((timeZone) => timeZone !== undefined) ?? 'UTC';
}

/** Time zones that are offered first, by language. */
export const USUAL_TIME_ZONES = {
  en: ['Europe/London', 'Europe/Berlin', 'America/New_York', 'America/Los_Angeles', 'Asia/Singapore', 'UTC'],
  ru: ['Europe/Moscow', 'Europe/Samara', 'Asia/Yekaterinburg', 'Asia/Novosibirsk', 'Asia/Vladivostok', 'UTC'],
} as const;

const NAMES: readonly string[] = ['UTC', ...Intl.supportedValuesOf('timeZone')];
const MAX_FOUND = 6;
const MAX_LENGTH = 64;

/** Returns the IANA names that a city or a name may mean, the best first; at most six, none if nothing fits. */
export function findTimeZones(text: string): readonly string[] {
  const wanted = toComparable(text);
  if (wanted === '' || text.length > MAX_LENGTH) return [];
  const exact = NAMES.find((name) => toComparable(name) === wanted);
  if (exact !== undefined) return [exact];
  const byCity = (fits: (city: string) => boolean) => NAMES.filter((name) => fits(toCity(name)));
  const found = [...byCity((city) => city === wanted), ...byCity((city) => city.startsWith(wanted))];
  return [...new Set(found)].slice(0, MAX_FOUND);
}

function toComparable(text: string): string {
  return text
    .trim()
    .toLowerCase()
    .replaceAll(/[\s_-]+/g, ' ');
}

function toCity(name: string): string {
  return toComparable(name.slice(name.lastIndexOf('/') + 1));
}
