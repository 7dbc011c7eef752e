const ALLOWED = new Set(['http:', 'https:', 'tg:', 'mailto:']);

/**
 * Returns a URL that may be opened; undefined for schemes that could run code or read files.
 * Addresses without a scheme (`example.org/x`) mean https, as in Telegram's apps.
 */
export function toSafeUrl(url: string): string | undefined {
  const text = url.trim();
  const withScheme = /^[a-z][a-z\d+.-]*:/i.test(text) && !/^[^/]+\.[^/:]+:\d/.test(text) ? text : `https://${text}`;
  if (!URL.canParse(withScheme)) return undefined;
  const parsed = new URL(withScheme);
  return ALLOWED.has(parsed.protocol) ? parsed.href : undefined;
}

/**
 * Parses a start link of this bot: `https://t.me/<bot>?start=<payload>`, `tg://resolve?domain=<bot>&start=<payload>`,
 * or the page's own `t.me/<bot>`.
 * @returns undefined for any other link
 */
export function findStartLink(url: string, botUsername: string): { payload: string } | undefined {
  if (!URL.canParse(url)) return undefined;
  const { protocol, hostname, pathname, searchParams } = new URL(url);
  const isWeb = (protocol === 'https:' || protocol === 'http:') && ['t.me', 'telegram.me'].includes(hostname);
  const own = new URL('t.me/', import.meta.url);
  const path = url.startsWith(own.href) ? pathname.slice(own.pathname.length) : isWeb ? pathname.slice(1) : '';
  const name = protocol === 'tg:' ? (searchParams.get('domain') ?? '') : path.replace(/\/$/, '');
  if (name.toLowerCase() !== botUsername.toLowerCase()) return undefined;
  return { payload: searchParams.get('start') ?? '' };
}
