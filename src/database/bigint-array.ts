import { type SQL, sql } from 'drizzle-orm';

/**
 * Converts integers to one array parameter for `= any(…)` and `unnest(…)`, so that the statement is the same for any
 * number of them.
 */
export function toBigintArray(numbers: readonly number[]): SQL {
  return sql`${`{${numbers.join(',')}}`}::bigint[]`;
}
