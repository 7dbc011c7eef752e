import { type SQL, sql } from 'drizzle-orm';

/**
 * Passes bytes as base64: the embedded database's driver takes ten times as long for bytes as for text and blocks the
 * thread meanwhile.
 */
export function fromBase64(bytes: Buffer): SQL<Buffer> {
  return sql`decode(${bytes.toString('base64')}, 'base64')`;
}
