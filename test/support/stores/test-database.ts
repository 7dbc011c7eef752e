import { createHash, randomBytes } from 'node:crypto';
import { cpSync } from 'node:fs';
import { access, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sql } from 'drizzle-orm';
import postgres from 'postgres';
import { describe } from 'vitest';
import {
  type Database,
  type DatabaseConfig,
  type DatabaseConnection,
  openDatabase,
} from '../../../src/database/connect.ts';
import { once } from '../../../src/lib/async/once.ts';
import { makeDirectory } from '../../../src/lib/files/make-directory.ts';
import { EXHAUSTIVE, orSkip } from '../vitest/tiers.ts';

const MIGRATIONS = fileURLToPath(new URL('../../../drizzle', import.meta.url));

const CACHE = fileURLToPath(new URL('../../../node_modules/.cache/switchboard-test', import.meta.url));

let template: Promise<string> | undefined;

export interface TestDatabase extends DatabaseConnection {
  readonly config: DatabaseConfig;
  /** Closes this connection but keeps the data, so that another process can open it. */
  release(): Promise<void>;
  /** Closes this connection, if open, and deletes the data. */
  close(): Promise<void>;
}

/** Open database, and the deletion of its data. */
interface OpenTestDatabase {
  readonly config: DatabaseConfig;
  readonly connection: DatabaseConnection;
  remove(): Promise<void>;
}

/** Embedded databases to reuse in the next test of this process. Emptying one takes a tenth of the time of opening one. */
const idle: OpenTestDatabase[] = [];

/**
 * Returns an empty embedded database in the folder `postgres` of a temporary one (as in a `DATA_DIR`). `close` keeps it
 * for the next test of this process, except after `release`.
 * @param options.isNew guarantees that no other test uses it, before or after
 */
export async function createEmbeddedTestDatabase({ isNew = false } = {}): Promise<TestDatabase> {
  if (isNew) return toTestDatabase(await openEmbedded());
  const reused = idle.pop();
  if (reused) await emptyTables(reused.connection.db);
  return toTestDatabase(reused ?? (await openEmbedded()), (database) => idle.push(database));
}

async function openEmbedded(): Promise<OpenTestDatabase> {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'switchboard-db-'));
  const config = { kind: 'embedded', directory: join(dataDirectory, 'postgres') } as const;
  await copyEmbeddedTemplate(config.directory);
  const connection = await openDatabase(config);
  return { connection, config, remove: () => rm(dataDirectory, { recursive: true, force: true }) };
}

/** Deletes all rows and restarts all sequences. */
async function emptyTables(db: Database): Promise<void> {
  await db.execute(sql`
    do $$
    declare
      "table" record;
      has_rows boolean;
    begin
      -- Neither foreign keys nor triggers: everything goes.
      perform set_config('session_replication_role', 'replica', true);
      for "table" in select tablename as name from pg_tables where schemaname = 'public' loop
        execute format('select exists (select from %I)', "table".name) into has_rows;
        if has_rows then
          execute format('delete from %I', "table".name);
        end if;
      end loop;
      perform setval(format('%I.%I', schemaname, sequencename)::regclass, 1, false) from pg_sequences
        where schemaname = 'public' and last_value is not null;
    end $$`);
}

/**
 * Returns an empty database for tests that are the same on both: embedded, or on the server of `TEST_DATABASE_URL` if
 * `TEST_DATABASE` is `server`.
 */
export function createTestDatabase(): Promise<TestDatabase> {
  if (process.env['TEST_DATABASE'] !== 'server') return createEmbeddedTestDatabase();
  const serverUrl = findServerUrl();
  if (serverUrl === undefined) throw new Error('TEST_DATABASE is server, but there is no TEST_DATABASE_URL');
  return createServerTestDatabase(serverUrl);
}

/** Creates a database on the server of `TEST_DATABASE_URL`, dropped on close. */
export async function createServerTestDatabase(serverUrl: string): Promise<TestDatabase> {
  const { url, close } = await createBareServerDatabase(serverUrl);
  const config = { kind: 'postgres', url } as const;
  return toTestDatabase({ config, connection: await openDatabase(config), remove: close });
}

/** Creates a database without tables on a server; `close` drops it. */
export async function createBareServerDatabase(
  serverUrl: string,
): Promise<{ readonly url: string; close(): Promise<void> }> {
  const name = `switchboard_test_${randomBytes(6).toString('hex')}`;
  const admin = postgres(serverUrl, { max: 1, onnotice: () => {} });
  await admin.unsafe(`create database ${name}`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    async close() {
      await admin.unsafe(`drop database ${name} with (force)`);
      await admin.end();
    },
  };
}

/** @param keep called by `close` instead of closing and deleting, unless the database was released. */
function toTestDatabase(database: OpenTestDatabase, keep?: (database: OpenTestDatabase) => void): TestDatabase {
  const { connection, config, remove } = database;
  let isReleased = false;
  const release = once(async () => {
    isReleased = true;
    await connection.close();
  });
  return {
    ...connection,
    config,
    release,
    close: once(async () => {
      if (keep && !isReleased) return keep(database);
      await release();
      await remove();
    }),
  };
}

/** Returns the URL of the Postgres server on which suites create databases. Skips like `orSkip`. */
export function findServerUrl(): string | undefined {
  const url = process.env['TEST_DATABASE_URL'];
  return orSkip(url === '' ? undefined : url, 'there is no Postgres server: name one in TEST_DATABASE_URL');
}

/**
 * Runs a suite on the embedded database and, in `npm run test:all`, also on a server. Skips like `orSkip`.
 * @param areSideBySide runs both concurrently, each with its tests in order: for suites that mostly wait
 */
export function describeOnEveryDatabase(
  title: string,
  suite: (createDatabase: () => Promise<TestDatabase>) => void,
  { areSideBySide = false, tags = [] as readonly string[] } = {},
): void {
  const serverUrl = findServerUrl();
  const describeOn = (server: string, options: object, createDatabase: () => Promise<TestDatabase>) =>
    describe(`${title} (${server})`, { concurrent: areSideBySide, tags: [...tags], ...options }, () => {
      // A concurrent suite would otherwise run its tests concurrently as well.
      if (areSideBySide) describe('step by step', { concurrent: false }, () => suite(createDatabase));
      else suite(createDatabase);
    });
  describeOn('embedded Postgres', {}, createEmbeddedTestDatabase);
  describeOn('Postgres server', { ...EXHAUSTIVE, skip: serverUrl === undefined }, () =>
    createServerTestDatabase(serverUrl ?? ''),
  );
}

/**
 * Copies an empty, migrated embedded database to `directory`, which must not exist. Creating one takes seconds of CPU
 * time and copying it a moment, so a template is cached in node_modules until migrations or PGlite change.
 */
export async function copyEmbeddedTemplate(directory: string): Promise<void> {
  // The asynchronous `cp` of `node:fs/promises` takes a second of CPU time for its more than a thousand files.
  cpSync(await getTemplate(), directory, { recursive: true });
}

function getTemplate(): Promise<string> {
  template ??= findOrMakeTemplate();
  return template;
}

async function findOrMakeTemplate(): Promise<string> {
  const directory = join(CACHE, await describeTemplate());
  if (await exists(directory)) return directory;
  await makeDirectory(CACHE);
  const folder = await mkdtemp(join(CACHE, 'new-'));
  try {
    const made = join(folder, 'postgres');
    const connection = await openDatabase({ kind: 'embedded', directory: made });
    await connection.close();
    // Another process may have created the same template concurrently; either is fine.
    await rename(made, directory).catch(async (error: unknown) => {
      if (!(await exists(directory))) throw error;
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return directory;
}

/** Returns a cache key derived from the migrations and the version of PGlite. */
async function describeTemplate(): Promise<string> {
  const hash = createHash('sha256');
  const files = (await readdir(MIGRATIONS)).filter((name) => name.endsWith('.sql')).sort();
  const pglite = join(dirname(createRequire(import.meta.url).resolve('@electric-sql/pglite')), '..', 'package.json');
  for (const path of [...files.map((name) => join(MIGRATIONS, name)), pglite]) hash.update(await readFile(path));
  return hash.digest('hex').slice(0, 16);
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
