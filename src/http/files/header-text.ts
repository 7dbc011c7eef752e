import { isUtf8 } from 'node:buffer';

/** Decodes a header value as UTF-8 if valid, else as Latin-1, in which Node reads it. */
export function toText(value: string): string {
  const bytes = Buffer.from(value, 'latin1');
  return isUtf8(bytes) ? bytes.toString('utf8') : value;
}
