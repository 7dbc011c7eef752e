import { type Column, ilike, type SQL, sql } from 'drizzle-orm';
import { toStorableText } from './storable.ts';

/**
 * Converts integers to one array parameter for `= any(…)` and `unnest(…)`, so that the statement is the same for any
 * number of them.
 */
export function toBigintArray(numbers: readonly number[]): SQL {
  return sql`${`{${numbers.join(',')}}`}::bigint[]`;
}

/** Returns the condition that a column contains a text, in any case. */
export function contains(column: Column, text: string): SQL {
  return ilike(column, `%${toStorableText(text).replace(/[\\%_]/g, '\\$&')}%`);
}

/**
 * Passes bytes as base64: the embedded database's driver takes ten times as long for bytes as for text and blocks the
 * thread meanwhile.
 */
export function fromBase64(bytes: Buffer): SQL<Buffer> {
  return sql`decode(${bytes.toString('base64')}, 'base64')`;
}

/** Returns a time from now, by the database's clock: the clocks of several machines differ. */
export function inMs(ms: number): SQL {
  return sql`now() + make_interval(secs => ${ms / 1000}::double precision)`;
}
