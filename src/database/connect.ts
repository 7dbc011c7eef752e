import { sql } from 'drizzle-orm';
import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core';
import { drizzle } from 'drizzle-orm/postgres-js';
import { describeError } from '../lib/describe-error.ts';
import { DirectoryInUseError } from '../lib/directory-lock.ts';
import { DirectoryUnusableError } from '../lib/make-directory.ts';
import { migratePostgres } from './migrate.ts';
import { createPatientClient, type PatientClient } from './patient-client.ts';
import * as schema from './schema/index.ts';
import { createServerClient } from './server-client.ts';

/** Drizzle over either driver; the modules of core never know which. */
export type Database = PgDatabase<PgQueryResultHKT, typeof schema>;

export type DatabaseConfig =
  /** A Postgres server, 13 or later. */
  | { readonly kind: 'postgres'; readonly url: string }
  /** Postgres embedded in this process, its files in `directory`. One process at a time. */
  | { readonly kind: 'embedded'; readonly directory: string };

/** The database can't be reached, opened or brought up to date; the message says why, without any password. */
export class DatabaseUnusableError extends Error {
  override readonly name = 'DatabaseUnusableError';
  constructor(config: DatabaseConfig, cause: unknown) {
    const place = config.kind === 'embedded' ? ` in ${config.directory}` : '';
    super(`The database${place} can't be used: ${describeError(cause)}`, { cause });
  }
}

export interface DatabaseConnection {
  readonly db: Database;
  /** The same database for the few statements that Telegram waits for: nothing that is done for others holds them up. */
  readonly urgentDb: Database;
  /** Resolves when the database answers. */
  ping(): Promise<void>;
  /** Ends the connections; statements under way get five seconds. */
  close(): Promise<void>;
}

/**
 * Connects and brings the tables up to date.
 * @param onLost called at most once, when an embedded database has ended itself: a full disk can have it do so. Only another process can
 * open it again; nothing that was committed is lost.
 * @throws DirectoryInUseError where another process has the embedded database open; DirectoryUnusableError where its folder can't be
 * made; DatabaseUnusableError for everything else.
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
 * Asks a server whether it is there, and changes nothing.
 * @throws the driver's error.
 */
export async function pingServer(url: string): Promise<void> {
  const client = createServerClient(url, { max: 1 });
  try {
    await client.sql`select 1`;
  } finally {
    await client.end(1000);
  }
}

const MOST_CONNECTIONS = 10;

async function openPostgres(url: string): Promise<DatabaseConnection> {
  await migratePostgres(url);
  // Drizzle changes how the driver reads dates and JSON.
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
  // A fifth of a gigabyte of memory that nobody needs who has a server.
  const { openPglite } = await import('./open-pglite.ts');
  const { db, urgentDb, close } = await openPglite(directory, onLost);
  return { db, urgentDb, ping: () => pingWith(db), close };
}

async function pingWith(db: Database): Promise<void> {
  await db.execute(sql`select 1`);
}
