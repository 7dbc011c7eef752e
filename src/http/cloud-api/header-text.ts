import { isUtf8 } from 'node:buffer';

/** The text of a header value: UTF-8, as everybody sends it today, where its bytes are that; else as Node read it (Latin-1). */
export function toText(value: string): string {
  const bytes = Buffer.from(value, 'latin1');
  return isUtf8(bytes) ? bytes.toString('utf8') : value;
}
