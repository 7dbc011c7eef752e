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
