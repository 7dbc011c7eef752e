import { sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/postgres-js';
import { migrate } from 'drizzle-orm/postgres-js/migrator';
import { hasErrorCode } from '../lib/errors/describe-error.ts';
import { runMigrations } from './migrations.ts';
import { createServerClient, type ServerClient } from './server-client.ts';

/** Key of the advisory lock of processes that migrate or copy a database, not used for any other lock in it. */
export const MIGRATION_LOCK = 7_246_003_911;
/** Migrating large tables takes minutes. */
const LOCK_PATIENCE_MS = 10 * 60_000;
/** SQLSTATE `lock_not_available` (https://www.postgresql.org/docs/current/errcodes-appendix.html). */
const LOCK_TIMEOUT = '55P03';

/** Thrown when another process holds the migration lock for too long. The message says how to end that process. */
class MigrationHeldUpError extends Error {
  override readonly name = 'MigrationHeldUpError';
  constructor(holder: LockHolder | undefined, patienceMs: number, cause: unknown) {
    const who = holder ? ` (server process ${holder.pid}, client ${holder.client ?? 'on the same machine'})` : '';
    const end = holder ? `"select pg_terminate_backend(${holder.pid})"` : 'pg_terminate_backend';
    super(
      `another process${who} has been bringing the tables up to date for ${patienceMs / 1000} s. ` +
        `Where it is still at work, start again later; where it is gone or stands still, end its session by ${end}`,
      { cause },
    );
  }
}

/**
 * Migrates a server's database. If several processes start at once, one migrates and the others wait.
 * @param patienceMs maximum wait for another process, and for each lock on a table. Default 10 min.
 * @throws DatabaseUnsuitableError, MigrationHeldUpError; the driver's errors.
 */
export async function migratePostgres(url: string, patienceMs = LOCK_PATIENCE_MS): Promise<void> {
  const client = createServerClient(url, { max: 1 });
  try {
    // The lock belongs to the session: with a single connection it is released even when the process is killed.
    const db = drizzle(client.sql);
    // Servers may set a limit for the statements of a role, and changing a large table takes longer.
    await db.execute(sql`select set_config('lock_timeout', ${`${patienceMs}ms`}, false),
      set_config('statement_timeout', '0', false)`);
    await takeLock(client, patienceMs);
    await runMigrations(db, (folder) => migrate(db, folder));
  } finally {
    await client.end(5000);
  }
}

async function takeLock(client: ServerClient, patienceMs: number): Promise<void> {
  try {
    await client.sql`select pg_advisory_lock(${MIGRATION_LOCK}::bigint)`;
  } catch (error) {
    if (!hasErrorCode(error, LOCK_TIMEOUT)) throw error;
    throw new MigrationHeldUpError(await findLockHolder(client), patienceMs, error);
  }
}

interface LockHolder {
  readonly pid: number;
  /** IP address; null for a Unix socket. */
  readonly client: string | null;
}

/** Returns the session that holds the lock, undefined if it has just ended. */
async function findLockHolder({ sql }: ServerClient): Promise<LockHolder | undefined> {
  const [holder] = await sql<LockHolder[]>`
    select pid, host(client_addr) as client from pg_locks join pg_stat_activity using (pid)
    where locktype = 'advisory' and granted and (classid::bigint << 32 | objid::bigint) = ${MIGRATION_LOCK}
      and database = (select oid from pg_database where datname = current_database())`;
  return holder;
}
