import { checkServer } from '../connect.ts';
import { migratePostgres } from '../migrate.ts';
import { type CopiedTable, LIST_SEQUENCES, LIST_TABLES, listColumns, qualify, quote } from './catalogue.ts';
import { CopyRefusedError } from './copy-failures.ts';
import type { CopySource } from './copy-source.ts';
import { listServiceSessions, lockStarts, openServerSession, type ServerSession } from './server-session.ts';

/** Postgres 13. */
const OLDEST_VERSION = 130_000;
/** Wait for another process that migrates the target. */
const MIGRATION_PATIENCE_MS = 60_000;
/** Number of tables that an error message names. */
const MAX_NAMED_TABLES = 5;

interface ForeignKey {
  /** Table as an identifier with its schema. */
  readonly table: string;
  readonly name: string;
  readonly definition: string;
}

const LIST_FOREIGN_KEYS = `
  select format('%I.%I', nspname, relname) as table, conname as name, pg_get_constraintdef(pg_constraint.oid) as definition
  from pg_constraint join pg_class on pg_class.oid = conrelid join pg_namespace on pg_namespace.oid = relnamespace
  where contype = 'f' and nspname = 'public' order by relname, conname`;

/** Database on a server that gets a copy, in one transaction. */
export class CopyTarget {
  readonly #url: string;
  readonly #session: ServerSession;
  /** Foreign keys that are removed while rows are stored. */
  #foreignKeys: readonly ForeignKey[] = [];

  constructor(url: string) {
    this.#url = url;
    this.#session = openServerSession(url);
  }

  /**
   * Checks that the target can take a copy of these tables. Changes nothing.
   * @throws CopyRefusedError, DatabaseUnsuitableError; the driver's errors.
   */
  async check(source: CopySource, tables: readonly CopiedTable[]): Promise<void> {
    await expectSuitable(this.#session);
    if (await source.isDatabaseOf(this.#session))
      throw new CopyRefusedError(
        'Source and target are the same database. The source is that of the settings: the one in DATABASE_URL or, without it, the embedded one in DATA_DIR',
      );
    await checkServer(this.#url);
    await expectUnused(this.#session);
    await expectEmpty(this.#session, tables);
  }

  /**
   * Makes the tables and begins the transaction. In it, no foreign key is checked and no trigger is executed for single
   * rows, and no other connection can use the tables.
   * @returns all tables of the target
   */
  async begin(tables: readonly CopiedTable[]): Promise<readonly CopiedTable[]> {
    await migratePostgres(this.#url, MIGRATION_PATIENCE_MS);
    await this.#session.begin();
    await expectUnused(this.#session);
    this.#foreignKeys = await this.#session.query<ForeignKey>(LIST_FOREIGN_KEYS);
    for (const { table, name } of this.#foreignKeys)
      await this.#session.query(`alter table ${table} drop constraint ${quote(name)}`);
    const own = await this.#session.query<CopiedTable>(LIST_TABLES);
    for (const { name } of own) await this.#session.query(`alter table ${qualify(name)} disable trigger user`);
    await expectEmpty(this.#session, tables);
    return own;
  }

  /** Stores rows in the text format of COPY. */
  write(table: CopiedTable, rows: AsyncIterable<Uint8Array>): Promise<void> {
    return this.#session.write(`copy ${qualify(table.name)} (${listColumns(table)}) from stdin`, rows);
  }

  query<Row>(statement: string): Promise<readonly Row[]> {
    return this.#session.query<Row>(statement);
  }

  /** Sets all sequences to where they are in the source. */
  async setSequences(source: CopySource): Promise<void> {
    for (const { name } of await this.#session.query<{ name: string }>(LIST_SEQUENCES)) {
      const [value] = await source.query<{ last: string; isCalled: boolean }>(
        `select last_value::text as last, is_called as "isCalled" from ${qualify(name)}`,
      );
      if (!value) throw new Error(`the sequence ${name} of the source has no value`);
      await this.#session.query(`select setval('${qualify(name)}', ${value.last}, ${value.isCalled})`);
    }
  }

  /** Enables triggers, checks all foreign keys, and ends the transaction. */
  async complete(tables: readonly CopiedTable[], onCommit: () => void): Promise<void> {
    for (const { name } of tables) await this.#session.query(`alter table ${qualify(name)} enable trigger user`);
    for (const { table, name, definition } of this.#foreignKeys)
      await this.#session.query(`alter table ${table} add constraint ${quote(name)} ${definition}`);
    for (const { name } of tables) await this.#session.query(`analyze ${qualify(name)}`);
    onCommit();
    await this.#session.query('commit');
  }

  /** Ends the connection; a transaction that is not complete leaves nothing. */
  end(): Promise<void> {
    return this.#session.end();
  }
}

async function expectSuitable(session: ServerSession): Promise<void> {
  const [server] = await session.query<{ number: number; version: string; encoding: string }>(
    `select current_setting('server_version_num')::int as number, current_setting('server_version') as version,
       current_setting('server_encoding') as encoding`,
  );
  if (server && server.number < OLDEST_VERSION)
    throw new CopyRefusedError(`The target is on Postgres ${server.version}. Version 13 is the oldest that works`);
  if (server && server.encoding !== 'UTF8')
    throw new CopyRefusedError(
      `The target has the encoding ${server.encoding}, and not every text fits in it. Create a database with UTF8: createdb --encoding=UTF8 --template=template0 …`,
    );
}

/** Checks that no process uses the target and, until the end of a transaction, prevents that one starts on it. */
async function expectUnused(session: ServerSession): Promise<void> {
  if (!(await lockStarts(session)))
    throw new CopyRefusedError(
      'Another process copies to the target, or starts on it. If it is gone, the server notices that within a minute',
    );
  const users = await listServiceSessions(session);
  if (users.length > 0)
    throw new CopyRefusedError(`The target is in use by a running service: ${users.join(', ')}. Stop it first`);
}

/** Checks that the target has no rows, and no tables but these. */
async function expectEmpty(session: ServerSession, tables: readonly CopiedTable[]): Promise<void> {
  const known = new Set(tables.map(({ name }) => name));
  const present = await session.query<CopiedTable>(LIST_TABLES);
  const foreign = present.filter(({ name }) => !known.has(name));
  if (foreign.length > 0)
    throw new CopyRefusedError(
      `The target has tables that the source does not have: ${listNames(foreign)}. Create a database for the copy alone`,
    );
  const used: CopiedTable[] = [];
  for (const table of present) {
    const [row] = await session.query<{ exists: boolean }>(
      `select exists (select from ${qualify(table.name)}) as exists`,
    );
    if (row?.exists) used.push(table);
  }
  if (used.length > 0)
    throw new CopyRefusedError(
      `The target is not empty: there are rows in ${listNames(used)}. Create a new database for the copy; nothing is ever overwritten`,
    );
}

function listNames(tables: readonly CopiedTable[]): string {
  const names = tables.slice(0, MAX_NAMED_TABLES).map(({ name }) => name);
  const more = tables.length - names.length;
  return `${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
