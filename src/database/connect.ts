import { sql } from 'drizzle-orm';
import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core';
import { drizzle } from 'drizzle-orm/postgres-js';
import { describeError } from '../lib/errors/describe-error.ts';
import { DirectoryInUseError } from '../lib/files/directory-lock.ts';
import { DirectoryUnusableError } from '../lib/files/make-directory.ts';
import { hasCluster } from './empty-cluster.ts';
import { migratePostgres } from './migrate.ts';
import { checkMigrations, DatabaseUnsuitableError } from './migrations.ts';
import { createPatientClient, type PatientClient } from './patient-client.ts';
import * as schema from './schema/index.ts';
import { createServerClient } from './server-client.ts';

/** Drizzle with either driver; core modules are independent of which one. */
export type Database = PgDatabase<PgQueryResultHKT, typeof schema>;

export type DatabaseConfig =
  /** A Postgres server, version 13 or later. */
  | { readonly kind: 'postgres'; readonly url: string }
  /** Postgres embedded in this process, with its files in `directory`. Only one process at a time can use it. */
  | { readonly kind: 'embedded'; readonly directory: string };

/** Thrown when the database can't be reached, opened or migrated. The message contains the reason, but no password. */
export class DatabaseUnusableError extends Error {
  override readonly name = 'DatabaseUnusableError';
  /** True if it stays unusable until an operator acts: of a newer version, of another program, or read-only. */
  readonly isUnsuitable: boolean;
  constructor(config: DatabaseConfig, cause: unknown) {
    const location = config.kind === 'embedded' ? ` in ${config.directory}` : '';
    super(`The database${location} can't be used: ${describeError(cause)}`, { cause });
    this.isUnsuitable = cause instanceof DatabaseUnsuitableError;
  }
}

export interface DatabaseConnection {
  readonly db: Database;
  /** The same database, with priority over `db`: for the few statements on the path of storing Telegram's updates. */
  readonly urgentDb: Database;
  /** Resolves when the database responds. */
  ping(): Promise<void>;
  /** Closes the connections; statements in flight get five seconds. */
  close(): Promise<void>;
}

/**
 * Connects to the database and migrates it.
 * @param onLost called at most once, when an embedded database has terminated itself, which a full disk can cause. Only
 * a new process can open it again; committed data is not lost.
 * @throws DirectoryInUseError if another process uses the embedded database; DirectoryUnusableError if its directory
 * can't be created; DatabaseUnusableError for everything else.
 */
export async function openDatabase(
  config: DatabaseConfig,
  onLost: (error: DatabaseUnusableError) => void = () => {},
): Promise<DatabaseConnection> {
  const onEnd = (error: unknown) => onLost(new DatabaseUnusableError(config, error));
  try {
    return await (config.kind === 'postgres' ? openPostgres(config.url) : openEmbedded(config.directory, onEnd));
  } catch (error) {
    if (error instanceof DirectoryInUseError || error instanceof DirectoryUnusableError) throw error;
    throw new DatabaseUnusableError(config, error);
  }
}

/**
 * Checks that a server responds and that this version can work with the database. Changes nothing.
 * @throws DatabaseUnsuitableError; the driver's error.
 */
export async function checkServer(url: string): Promise<{ readonly isCurrent: boolean }> {
  const client = createServerClient(url, { max: 1 });
  try {
    return await checkMigrations(drizzle(client.sql));
  } finally {
    await client.end(1000);
  }
}

/**
 * Opens a database as it is: nothing is migrated, and statements that write fail.
 * @returns undefined if it has no stored settings, because the service has not been started with it yet.
 * @throws DirectoryInUseError; DatabaseUnsuitableError; the driver's errors.
 */
export async function openForReading(
  config: DatabaseConfig,
): Promise<Pick<DatabaseConnection, 'db' | 'close'> | undefined> {
  if (config.kind === 'embedded' && !hasCluster(config.directory)) return undefined;
  const opened = config.kind === 'embedded' ? await readEmbedded(config.directory) : readServer(config.url);
  let isKnown = false;
  try {
    const exists = sql<boolean>`to_regclass('stored_settings') is not null`;
    const [row] = await opened.db.select({ exists }).from(sql`(select 1) as one`);
    isKnown = row?.exists ?? false;
    return isKnown ? opened : undefined;
  } finally {
    if (!isKnown) await opened.close();
  }
}

async function readEmbedded(directory: string) {
  const { openPgliteAsIs } = await import('./open-pglite.ts');
  const [{ client, close }, { drizzle: wrap }] = await Promise.all([
    openPgliteAsIs(directory),
    import('drizzle-orm/pglite'),
  ]);
  await client.exec('set default_transaction_read_only = on');
  const db: Database = wrap(client, { schema });
  return { db, close };
}

function readServer(url: string) {
  const client = createServerClient(url, { max: 1, connection: { default_transaction_read_only: true } });
  const db: Database = drizzle(client.sql, { schema });
  return { db, close: () => client.end(1000) };
}

const MOST_CONNECTIONS = 10;

async function openPostgres(url: string): Promise<DatabaseConnection> {
  await migratePostgres(url);
  // Drizzle changes how the driver parses dates and JSON.
  const prepare = (sql: PatientClient['sql']) => void drizzle(sql);
  const all = createPatientClient(url, { maxConnections: MOST_CONNECTIONS, prepare });
  const urgent = createPatientClient(url, { maxConnections: 1, prepare });
  const [db, urgentDb] = [drizzle(all.sql, { schema }), drizzle(urgent.sql, { schema })];
  const close = async () => {
    await Promise.all([all.close(), urgent.close()]);
  };
  return { db, urgentDb, ping: () => pingWith(db), close };
}

async function openEmbedded(directory: string, onLost: (error: unknown) => void): Promise<DatabaseConnection> {
  // Loaded on demand: it takes about 200 MB of memory, which is not needed with a server.
  const { openPglite } = await import('./open-pglite.ts');
  const { db, urgentDb, close } = await openPglite(directory, onLost);
  return { db, urgentDb, ping: () => pingWith(db), close };
}

async function pingWith(db: Database): Promise<void> {
  await db.execute(sql`select 1`);
}
