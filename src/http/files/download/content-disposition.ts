/**
 * Returns a `Content-Disposition` header (RFC 6266) with the name in ASCII for old clients and in UTF-8 (RFC 8187) for
 * all others.
 * @param name may contain any characters; they can't end the header or the parameter.
 */
export function toContentDisposition(type: 'attachment' | 'inline', name: string): string {
  // The percent sign is replaced too, because some browsers decode the plain form.
  const plain = name.toWellFormed().replace(/[^\x20-\x7e]|["%\\]/gu, '_');
  return `${type}; filename="${plain}"; filename*=UTF-8''${toExtendedValue(name)}`;
}

/** Returns only the name in raw UTF-8 bytes, for clients that take the whole value as the name. */
export function toBareDisposition(name: string): string {
  const printable = name.toWellFormed().replace(/\p{Cc}/gu, '_');
  return Buffer.from(printable, 'utf8').toString('latin1');
}

function toExtendedValue(name: string): string {
  return encodeURIComponent(name.toWellFormed()).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
