import { desc, sql } from 'drizzle-orm';
import type { Database } from '../../database/connect.ts';
import { messages } from '../../database/schema/index.ts';
import { type RecordedMessage, toRecorded } from './recorded-message.ts';

/** A part of the visible branch of a conversation. */
export interface VisibleMessages {
  /** Newest first, without answers that have no text. */
  readonly messages: readonly RecordedMessage[];
  /** The message before them; undefined if they contain the first one. */
  readonly previousId: number | undefined;
}

/**
 * Reads up to `limit` messages of the visible branch, from the newest or a given one back. Returns none if the given one
 * is of another conversation.
 */
export async function readVisibleMessages(
  db: Database,
  conversationId: number,
  { fromId, limit }: { readonly fromId?: number | undefined; readonly limit: number },
): Promise<VisibleMessages> {
  const newest = sql`select coalesce(head_id, (select max(id) from messages where conversation_id = conversations.id))
    from conversations where id = ${conversationId}`;
  const path = sql`(
    with recursive path as (
      select id, parent_id, 1 as number from messages
      where conversation_id = ${conversationId} and id = ${fromId === undefined ? sql`(${newest})` : fromId}
      union all
      select parent.id, parent.parent_id, number + 1 from messages parent join path on parent.id = path.parent_id
      where number < ${limit}
    ) select id from path
  )`;
  const rows = await db.select().from(messages).where(sql`${messages.id} in ${path}`).orderBy(desc(messages.id));
  return {
    messages: rows.filter(({ role, content }) => role === 'user' || content !== '').map(toRecorded),
    previousId: rows.at(-1)?.parentId ?? undefined,
  };
}
