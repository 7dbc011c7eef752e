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
