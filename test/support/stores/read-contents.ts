import { getTableName, is, sql } from 'drizzle-orm';
import { PgTable } from 'drizzle-orm/pg-core';
import type { Database } from '../../../src/database/connect.ts';
import * as schema from '../../../src/database/schema/index.ts';

/** Names of the tables that the program knows. */
export const tableNames = Object.values(schema)
  .filter((one) => is(one, PgTable))
  .map((table) => getTableName(table))
  .sort();

/** Returns the rows of each table and the value of each sequence, as Postgres prints them, of what has any. */
export async function readContents(db: Database): Promise<Readonly<Record<string, readonly string[]>>> {
  const contents: Record<string, readonly string[]> = {};
  for (const name of tableNames) contents[name] = await readLines(db, sql`${sql.identifier(name)} as part`);
  const sequences = sql`(select sequencename, last_value from pg_sequences
    where schemaname = 'public' and last_value is not null) as part`;
  contents['sequences'] = await readLines(db, sequences);
  return Object.fromEntries(Object.entries(contents).filter(([, lines]) => lines.length > 0));
}

async function readLines(db: Database, rows: ReturnType<typeof sql>): Promise<readonly string[]> {
  // Times are printed in the time zone of the session, which is not the same everywhere.
  const line = sql<string>`part::text`;
  return db.transaction(async (tx) => {
    await tx.execute(sql`set local time zone 'UTC'`);
    const found = await tx.select({ line }).from(rows);
    return found.map((row) => row.line).sort();
  });
}
