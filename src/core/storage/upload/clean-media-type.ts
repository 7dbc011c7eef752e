const FALLBACK = 'application/octet-stream';
/** `type/subtype` of restricted names: RFC 6838, section 4.2. */
const MEDIA_TYPE = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,126}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,126}$/;
/** The only parameter that is kept. */
const CHARSET = /;\s*charset\s*=\s*"?([a-z0-9_.:+-]{1,40})"?\s*(?:;|$)/i;

/**
 * Normalises a media type that a client sent: lower case, no parameters but the charset of text types. Returns
 * `application/octet-stream` if it is malformed.
 */
export function cleanMediaType(mediaType: string | undefined): string {
  const text = (mediaType ?? '').slice(0, 300);
  const type = text.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (!MEDIA_TYPE.test(type)) return FALLBACK;
  const charset = CHARSET.exec(text)?.[1]?.toLowerCase();
  return charset && type.startsWith('text/') ? `${type}; charset=${charset}` : type;
}
