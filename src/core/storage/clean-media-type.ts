const FALLBACK = 'application/octet-stream';
/** `type/subtype` of restricted names: RFC 6838, section 4.2. */
const MEDIA_TYPE = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,126}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,126}$/;
/** The one parameter that is kept. */
const CHARSET = /;\s*charset="?([a-z0-9_.:+-]{1,40})"?\s*(?:;|$)/i;

/** A media type as the sender named it, in lower case, of its parameters the charset; `application/octet-stream` where it is none. */
export function cleanMediaType(mediaType: string | undefined): string {
  const text = (mediaType ?? '').slice(0, 300);
  const type = text.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (!MEDIA_TYPE.test(type)) return FALLBACK;
  const charset = CHARSET.exec(text)?.[1]?.toLowerCase();
  return charset && type.startsWith('text/') ? `${type}; charset=${charset}` : type;
}
