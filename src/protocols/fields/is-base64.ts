/** Decodes the text, which is faster than a regular expression: invalid characters make the result shorter. */
export function isBase64(text: string): boolean {
  if (text === '' || text.length % 4 === 1) return false;
  return Buffer.from(text, 'base64').length === Buffer.byteLength(text, 'base64');
}
