/** Table as the catalogue of a database has it. */
export interface CopiedTable {
  readonly name: string;
  /** All columns with values of their own: none that are generated from others. */
  readonly columns: readonly string[];
}

/** Lists the tables of the service and those that others have made, as `CopiedTable`. Those of extensions are theirs. */
export const LIST_TABLES = `
  select relname as name, coalesce(json_agg(attname order by attnum) filter (where attnum > 0), '[]') as columns
  from pg_class left join pg_attribute on attrelid = pg_class.oid and attnum > 0 and not attisdropped and attgenerated = ''
  where relnamespace = 'public'::regnamespace and relkind = 'r'
    and not exists (select from pg_depend where objid = pg_class.oid and deptype = 'e')
  group by relname order by relname`;

/** Lists the sequences, those of identity columns too. */
export const LIST_SEQUENCES = `select sequencename as name from pg_sequences where schemaname = 'public' order by name`;

/**
 * Settings of a transaction that reads or writes rows as text: the text of each value is exact and the same on every
 * server, and no limit of the role or database ends a copy that takes hours. Versions do not have all of them.
 */
export const PREPARE_TRANSACTION = `
  select set_config(wanted.name, wanted.value, true)
  from (values ('datestyle', 'iso'), ('intervalstyle', 'postgres'), ('extra_float_digits', '3'), ('bytea_output', 'hex'),
    ('statement_timeout', '0'), ('idle_in_transaction_session_timeout', '0'), ('transaction_timeout', '0'),
    ('lock_timeout', '60000')) as wanted (name, value)
  where exists (select from pg_settings known where lower(known.name) = wanted.name)`;

/** Returns a name of the catalogue as an identifier. */
export function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Returns a table or sequence as an identifier with its schema. */
export function qualify(name: string): string {
  return `public.${quote(name)}`;
}

/** Returns the select list of a table. */
export function listColumns({ columns }: CopiedTable): string {
  return columns.map(quote).join(', ');
}
