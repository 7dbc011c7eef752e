import { sql } from 'drizzle-orm';
import type { Database } from '../../../src/database/connect.ts';

const SCHEMA = sql`(
  select 'column' as kind, attrelid::regclass::text as owner, attname as name, concat_ws(' ',
    row_number() over (partition by attrelid order by attnum), format_type(atttypid, atttypmod), attnotnull,
    attidentity, attgenerated, pg_get_expr(adbin, adrelid)) as definition
    from pg_attribute join pg_class on pg_class.oid = attrelid left join pg_attrdef on adrelid = attrelid and adnum = attnum
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'c') and attnum > 0 and not attisdropped
  union all
  select 'relation', relkind::text, relname, concat_ws(' ', relpersistence, relrowsecurity, reloptions)
    from pg_class where relnamespace in ('public'::regnamespace, to_regnamespace('drizzle'))
  union all
  select 'constraint', conrelid::regclass::text, conname, pg_get_constraintdef(oid)
    from pg_constraint where connamespace = 'public'::regnamespace
  union all
  select 'index', tablename, indexname, indexdef from pg_indexes where schemaname = 'public'
  union all
  select 'sequence', sequencename, data_type::text, concat_ws(' ', start_value, min_value, max_value, increment_by, cache_size)
    from pg_sequences where schemaname = 'public'
  union all
  select 'function', '', oid::regprocedure::text, pg_get_functiondef(oid) from pg_proc where pronamespace = 'public'::regnamespace
  union all
  select 'trigger', tgrelid::regclass::text, tgname, pg_get_triggerdef(oid) from pg_trigger where not tgisinternal
) as part`;

/** Returns everything that migrations have created in a database. */
export async function readSchema({ db }: { readonly db: Pick<Database, 'select'> }): Promise<readonly string[]> {
  const line = sql<string>`concat_ws(' | ', kind, owner, name, definition)`;
  const rows = await db.select({ line }).from(SCHEMA).orderBy(line);
  return rows.map((row) => row.line);
}
