import { type SQL, sql } from 'drizzle-orm';

/** Bounds the read of very long conversations; more messages than any model's context holds. */
const MAX_PATH_MESSAGES = 1000;

/** Selects the ids of the messages from the root to the given one: the visible branch of a conversation. */
export function selectPath(headId: number | SQL): SQL {
  return sql`(
    with recursive path as (
      select id, parent_id from messages first where id = ${headId}
      union all
      select parent.id, parent.parent_id from messages parent join path on parent.id = path.parent_id
    ) select id from path order by id desc limit ${sql.raw(`${MAX_PATH_MESSAGES}`)}
  )`;
}
