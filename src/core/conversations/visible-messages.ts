import { and, desc, eq, gt, lt, sql } from 'drizzle-orm';
import type { Database } from '../../database/connect.ts';
import { messages } from '../../database/schema/index.ts';
import { type RecordedMessage, toRecorded } from './recorded-message.ts';
import { isReminder, isReminderRow } from './reminders.ts';

/** A part of the visible branch of a conversation. */
export interface VisibleMessages {
  /** Newest first, without answers that have no text, and with the reminders that were sent meanwhile. */
  readonly messages: readonly RecordedMessage[];
  /** The message before them; undefined if they contain the first one. */
  readonly previousId: number | undefined;
}

/**
 * Reads up to `limit` messages of the visible branch, from the newest or a given one back, and as many reminders. Returns
 * none if the given one is of another conversation.
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
  const previousId = rows.at(-1)?.parentId ?? undefined;
  const isWithin = and(
    eq(messages.conversationId, conversationId),
    gt(messages.id, previousId ?? 0),
    fromId === undefined ? undefined : lt(messages.id, fromId),
  );
  const isSent = and(eq(messages.role, 'assistant'), isReminderRow);
  const reminders =
    rows.length === 0
      ? []
      : await db.select().from(messages).where(and(isWithin, isSent)).orderBy(desc(messages.id)).limit(limit);
  // The user's message of a reminder has the same text.
  const turns = rows.filter(
    (row) => !isReminder({ extras: row.extras ?? {} }) && (row.role === 'user' || row.content !== ''),
  );
  return { messages: [...turns, ...reminders].toSorted((one, other) => other.id - one.id).map(toRecorded), previousId };
}
