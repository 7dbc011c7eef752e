import { type SQL, sql } from 'drizzle-orm';

/** Returns a time from now, by the database's clock: the clocks of several machines differ. */
export function inMs(ms: number): SQL {
  return sql`now() + make_interval(secs => ${ms / 1000}::double precision)`;
}
