/**
 * The address if Telegram opens it from a link within text, else undefined: it drops an entity with any other address.
 * It takes http, https, tg and ton, and wants a dot in the host's name (seen in TDLib). `tg://user` would mention a person.
 */
export function toLinkAddress(address: string): string | undefined {
  const trimmed = address.trim();
  if (/^(?:tg|ton):\/\/[a-z]/i.test(trimmed)) return /^tg:\/\/user\b/i.test(trimmed) ? undefined : trimmed;
  if (!/^https?:\/\//i.test(trimmed) || /[\s<>"]/.test(trimmed) || trimmed.length > 2048) return undefined;
  const host = URL.parse(trimmed)?.hostname;
  return host !== undefined && /^[^.].*\.[^.]+$/.test(host) ? trimmed : undefined;
}
