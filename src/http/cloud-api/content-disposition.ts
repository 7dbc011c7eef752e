/**
 * `Content-Disposition` of RFC 6266: the name in ASCII for old clients, then in UTF-8 (RFC 8187) for everybody else.
 * @param name may hold anything; nothing of it can end the header or the parameter.
 */
export function toContentDisposition(type: 'attachment' | 'inline', name: string): string {
  // A percent sign is replaced too: some browsers decode the plain form.
  const plain = name.toWellFormed().replace(/[^\x20-\x7e]|["%\\]/gu, '_');
  return `${type}; filename="${plain}"; filename*=UTF-8''${toExtendedValue(name)}`;
}

/** The name alone, its UTF-8 bytes as they are, for clients that take the whole value as the name. */
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
