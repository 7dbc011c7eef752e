import { fileURLToPath } from 'node:url';
import { type SQL, sql } from 'drizzle-orm';
import { type MigrationConfig, readMigrationFiles } from 'drizzle-orm/migrator';
import { ROOT } from '../lib/layout.ts';
import type { Database } from './connect.ts';

/** Directory of the SQL migrations. The first one is the whole schema. */
const MIGRATIONS = fileURLToPath(new URL('drizzle', ROOT));

/**
 * Directory of the migrations of versions before 0.3. Drizzle identifies migrations by their time, and the last of these
 * has that of the first in `MIGRATIONS`: a database that had all of them continues there. To be removed in version 0.4,
 * with everything that reads it.
 */
const FORMER_MIGRATIONS = fileURLToPath(new URL('drizzle/before-0.3', ROOT));

type Reader = Pick<Database, 'select'>;

/** Thrown when this version can't work with a database. The message says why, and what an operator can do. */
export class DatabaseUnsuitableError extends Error {
  override readonly name = 'DatabaseUnsuitableError';
}

/**
 * Migrates a database that is empty or was made by this or an older version. The migrations of a folder are one
 * transaction. Not safe for concurrent processes.
 * @param migrate migrator of the driver.
 * @throws DatabaseUnsuitableError before anything is changed; the driver's errors.
 */
export async function runMigrations(db: Reader, migrate: (config: MigrationConfig) => Promise<void>): Promise<void> {
  const { isCurrent, isFormer } = await checkMigrations(db);
  if (isCurrent) return;
  if (isFormer) await migrate({ migrationsFolder: FORMER_MIGRATIONS });
  await migrate({ migrationsFolder: MIGRATIONS });
}

/**
 * Checks that this version can work with a database, and can migrate it if it has to. Changes nothing.
 * @throws DatabaseUnsuitableError; the driver's errors.
 */
export async function checkMigrations(db: Reader): Promise<{ isCurrent: boolean; isFormer: boolean }> {
  await checkWritable(db);
  const applied = await readAppliedMigrations(db);
  const oldest = applied[0];
  const newest = applied.at(-1);
  if (oldest === undefined || newest === undefined) {
    await checkEmpty(db);
    await checkPrivileges(db);
    return { isCurrent: false, isFormer: false };
  }
  const present = readTimes(MIGRATIONS);
  const [first = 0, last = 0] = [present[0], present.at(-1)];
  if (oldest !== first && oldest !== readTimes(FORMER_MIGRATIONS)[0])
    throw new DatabaseUnsuitableError(
      'it has the migrations of another program in the schema "drizzle". Switchboard needs a database of its own',
    );
  if (newest > last)
    throw new DatabaseUnsuitableError(
      `a newer version of Switchboard has changed it (on ${toDay(newest)}; this version knows changes until ${toDay(last)}). Start that version, or restore a backup from before its first start`,
    );
  const isCurrent = newest === last;
  if (!isCurrent) await checkPrivileges(db);
  return { isCurrent, isFormer: newest < first };
}

async function checkWritable(db: Reader): Promise<void> {
  const isReadOnly = sql<boolean>`current_setting('transaction_read_only')::boolean`;
  if (await readValue(db, isReadOnly))
    throw new DatabaseUnsuitableError(
      'it is read-only. DATABASE_URL may lead to a standby, or default_transaction_read_only is on',
    );
}

/** Checks what Drizzle and the migrations need before either has changed anything. */
async function checkPrivileges(db: Reader): Promise<void> {
  const mayCreate = sql<boolean>`has_database_privilege(current_database(), 'create')
    and coalesce(has_schema_privilege(current_schema(), 'create'), false)`;
  if (!(await readValue(db, mayCreate)))
    throw new DatabaseUnsuitableError(
      'its user may not create tables in it. Make the user its owner: "alter database … owner to …"',
    );
  // The foreign keys of the migrations name the schema of the tables that they refer to.
  const schema = await readValue(db, sql<string>`current_schema()`);
  if (schema !== 'public')
    throw new DatabaseUnsuitableError(
      `its user would create tables in the schema "${schema}", and Switchboard needs them in "public". Add "?search_path=public" to DATABASE_URL`,
    );
}

/** Returns the times of the migrations that the database has had, in Unix milliseconds, ascending. */
async function readAppliedMigrations(db: Reader): Promise<readonly number[]> {
  const exists = sql<boolean>`to_regclass('drizzle.__drizzle_migrations') is not null`;
  if (!(await readValue(db, exists))) return [];
  const time = sql`created_at`.mapWith(Number);
  const rows = await db.select({ time }).from(sql`drizzle.__drizzle_migrations`).orderBy(time);
  return rows.map((row) => row.time);
}

/** Number of tables that an error message names. */
const MAX_NAMED_TABLES = 3;

/** Checks that a database without migrations has no tables, except those of extensions. */
async function checkEmpty(db: Reader): Promise<void> {
  const tables = await db
    .select({ name: sql<string>`relname` })
    .from(sql`pg_class`)
    .where(
      sql`relnamespace = to_regnamespace('public') and relkind in ('r', 'p')
        and not exists (select from pg_depend where objid = pg_class.oid and deptype = 'e')`,
    )
    .orderBy(sql`relname`)
    .limit(MAX_NAMED_TABLES + 1);
  if (tables.length === 0) return;
  const names = tables.map(({ name }, index) => (index < MAX_NAMED_TABLES ? `"${name}"` : '…'));
  throw new DatabaseUnsuitableError(
    `it has tables (${names.join(', ')}), but no migrations of Switchboard in the schema "drizzle". Switchboard needs a database of its own; a backup has to be restored with all schemas`,
  );
}

async function readValue<Value>(db: Reader, value: SQL<Value>): Promise<Value | undefined> {
  const [row] = await db.select({ value }).from(sql`(select 1) as one`);
  return row?.value;
}

/** Returns the times of the migrations in a directory, in Unix milliseconds, ascending. */
function readTimes(migrationsFolder: string): readonly number[] {
  return readMigrationFiles({ migrationsFolder }).map(({ folderMillis }) => folderMillis);
}

function toDay(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
