import { type Column, ilike, type SQL } from 'drizzle-orm';
import { toStorableText } from './storable.ts';

/** Returns the condition that a column contains a text, in any case. */
export function contains(column: Column, text: string): SQL {
  return ilike(column, `%${toStorableText(text).replace(/[\\%_]/g, '\\$&')}%`);
}
