import { type SQL, sql } from 'drizzle-orm';

/** Whole numbers as one parameter, for `= any(…)` and `unnest(…)`: the statement stays the same for any number of them. */
export function toBigintArray(numbers: readonly number[]): SQL {
  return sql`${`{${numbers.join(',')}}`}::bigint[]`;
}
