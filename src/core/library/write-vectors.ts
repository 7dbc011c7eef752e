import { sql } from 'drizzle-orm';
import { toBigintArray } from '../../database/bigint-array.ts';
import type { Database } from '../../database/connect.ts';

/** Writes vectors of chunks; those of chunks that were deleted meanwhile, or are just being deleted, are left out. */
export async function writeVectors(
  db: Database,
  model: string,
  vectors: readonly { readonly chunkId: number; readonly signs: string }[],
): Promise<void> {
  const ids = toBigintArray(vectors.map(({ chunkId }) => chunkId));
  await db.execute(sql`
    with present as (
      select id, user_id, group_id, number from library_chunks where id = any (${ids}) for key share skip locked
    )
    insert into library_vectors (chunk_id, user_id, group_id, number, model, signs)
    select id, user_id, group_id, number, ${model}, signs::varbit
    from jsonb_to_recordset(${JSON.stringify(vectors)}::text::jsonb) as vector ("chunkId" bigint, signs text)
    join present on id = "chunkId"
    on conflict (chunk_id) do update set model = excluded.model, signs = excluded.signs`);
}
