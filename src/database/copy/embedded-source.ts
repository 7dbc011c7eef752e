import type { PGlite } from '@electric-sql/pglite';
import { drizzle } from 'drizzle-orm/pglite';
import { checkMigrations } from '../migrations.ts';
import { openPgliteAsIs } from '../open-pglite.ts';
import { createBreaks } from '../task-queue.ts';
import { type CopiedTable, LIST_TABLES, listColumns, PREPARE_TRANSACTION, qualify, quote } from './catalogue.ts';
import type { CopySource } from './copy-source.ts';
import { expectCurrent } from './expect-current.ts';

/** Size of the text that is read at once; a larger row is read alone. */
const PART_BYTES = 1024 * 1024;
/** Pages of a table whose rows are listed at once. A page has at most some 290 rows. */
const LISTED_PAGES = 64;
/** Text of all columns of a row whose values have a fixed size: more than they need. */
const FIXED_BYTES = 200;

/** Opens a snapshot of the embedded database. */
export async function openEmbeddedSource(directory: string): Promise<CopySource> {
  const { client, close } = await openPgliteAsIs(directory);
  try {
    expectCurrent(await checkMigrations(drizzle(client)), (await client.query(LIST_TABLES)).rows.length);
    await client.exec('begin isolation level repeatable read, read only');
    await client.query(PREPARE_TRANSACTION);
    return {
      query: async <Row>(statement: string) => (await client.query<Row>(statement)).rows,
      read: (table) => readParts(client, table),
      isDatabaseOf: async () => false,
      interrupt: async () => {},
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * Reads a table in parts of limited size. The database hands out a result as a whole, and rows may have megabytes, so
 * they are listed with their sizes before they are read.
 */
async function* readParts(client: PGlite, table: CopiedTable): AsyncGenerator<Uint8Array> {
  // The database runs on this thread.
  const breaks = createBreaks();
  const query = <Row>(text: string, values: readonly unknown[] = []) =>
    breaks.after(() => client.query<Row>(text, [...values]));
  const name = qualify(table.name);
  const columns = listColumns(table);
  const size = await describeSize(client, table);
  const [{ pages } = { pages: 0 }] = (
    await query<{ pages: number }>(
      `select (pg_relation_size($1::regclass) / current_setting('block_size')::int)::int as pages`,
      [name],
    )
  ).rows;
  for (let page = 0; page < pages; page += LISTED_PAGES) {
    const { rows } = await query<ListedRow>(
      `select ctid::text as place, ${size} as bytes from ${name} where ctid >= $1::tid and ctid < $2::tid order by ctid`,
      [`(${page},0)`, `(${page + LISTED_PAGES},0)`],
    );
    for (const [first, last] of toParts(rows)) {
      const { blob } = await query(
        `copy (select ${columns} from ${name} where ctid >= '${first}' and ctid <= '${last}') to '/dev/blob'`,
      );
      if (!blob) throw new Error(`the embedded database returned no rows of ${table.name}`);
      yield new Uint8Array(await blob.arrayBuffer());
    }
  }
}

interface ListedRow {
  /** Physical place, `(page,number)`. */
  readonly place: string;
  /** Size of the text, or more. */
  readonly bytes: number;
}

/** Divides listed rows into parts of limited size. @returns the first and last place of each */
function* toParts(rows: readonly ListedRow[]): Generator<readonly [first: string, last: string]> {
  let first = rows[0];
  let last = first;
  let bytes = 0;
  for (const row of rows) {
    if (first && last && bytes > 0 && bytes + row.bytes > PART_BYTES) {
      yield [first.place, last.place];
      first = row;
      bytes = 0;
    }
    last = row;
    bytes += row.bytes;
  }
  if (first && last) yield [first.place, last.place];
}

/** Returns an expression of at least the size of the text of a row. Sizes of `text` and `bytea` are known unread. */
async function describeSize(client: PGlite, { name, columns }: CopiedTable): Promise<string> {
  const { rows } = await client.query<{ name: string; type: string }>(
    `select attname as name, atttypid::regtype::text as type from pg_attribute
     where attrelid = $1::regclass and attlen < 0`,
    [qualify(name)],
  );
  const sizes = rows
    .filter((column) => columns.includes(column.name))
    .map(({ name: column, type }) => {
      const value = quote(column);
      if (type === 'bytea') return `coalesce(octet_length(${value})::bigint * 2, 0)`;
      return `coalesce(octet_length(${type === 'text' ? value : `${value}::text`})::bigint, 0)`;
    });
  return `(${[FIXED_BYTES, ...sizes].join(' + ')})::float8`;
}
