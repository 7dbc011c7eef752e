import { fileURLToPath } from 'node:url';
import { sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/postgres-js';
import { migrate } from 'drizzle-orm/postgres-js/migrator';
import { createServerClient } from './server-client.ts';

/** The SQL files that bring tables up to date. */
export const migrationsFolder = fileURLToPath(new URL('../../drizzle', import.meta.url));

/** Any number that nobody else uses for an advisory lock in this database. */
const MIGRATION_LOCK = 7_246_003_911;

/** Brings a server's tables up to date. Several processes may start at once: one migrates, the others wait. */
export async function migratePostgres(url: string): Promise<void> {
  const client = createServerClient(url, { max: 1 });
  try {
    // The lock belongs to the session: with a single connection it ends with it, even when the process is killed.
    const db = drizzle(client.sql);
    await db.execute(sql`select pg_advisory_lock(${MIGRATION_LOCK})`);
    await migrate(db, { migrationsFolder });
  } finally {
    await client.end(5000);
  }
}
