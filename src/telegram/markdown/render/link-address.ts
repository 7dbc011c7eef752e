/**
 * Returns the address if Telegram supports it in a text link, else undefined; Telegram drops entities with any other
 * address. Allowed are http, https, tg and ton, and host names must contain a dot (seen in TDLib). `tg://user` would
 * mention a user.
 */
export function toLinkAddress(address: string): string | undefined {
  const trimmed = address.trim();
  if (/^(?:tg|ton):\/\/[a-z]/i.test(trimmed)) return /^tg:\/\/user\b/i.test(trimmed) ? undefined : trimmed;
  if (!/^https?:\/\//i.test(trimmed) || /[\s<>"]/.test(trimmed) || trimmed.length > 2048) return undefined;
  const host = URL.parse(trimmed)?.hostname;
  return host !== undefined && /^[^.].*\.[^.]+$/.test(host) ? trimmed : undefined;
}
