import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { and, desc, eq, gt, lt, sql } from 'drizzle-orm';
import type { Database } from '../../../database/connect.ts';
import { messages } from '../../../database/schema/index.ts';
import { isReminder, isReminderRow } from './reminders.ts';

/** A message as users read and export it. */
export interface HistoryMessage {
  readonly id: number;
  readonly parentId: number | null;
  readonly role: 'user' | 'assistant';
  readonly model: string | null;
  readonly createdAt: Date;
  /** Number of attached photos; their files are stored at Telegram. */
  readonly photoCount: number;
  /** Attached documents, recordings and web pages. `text` is empty unless texts were requested. */
  readonly files: readonly { readonly name: string; readonly text: string }[];
  /** Markdown. */
  readonly content: string;
}

function toHistoryMessage(row: typeof messages.$inferSelect): HistoryMessage {
  const { id, parentId, role, model, createdAt, attachments, content } = row;
  const photoCount = attachments.filter(({ kind }) => kind === 'photo').length;
  const files = attachments.flatMap((file) =>
    file.kind === 'photo' || file.kind === 'link' ? [] : [{ name: file.name, text: '' }],
  );
  return { id, parentId, role, model, createdAt, photoCount, files, content };
}

/** A part of the visible branch of a conversation. */
export interface VisibleMessages {
  /** Newest first, without answers that have no text, and with the reminders that were sent meanwhile. */
  readonly messages: readonly HistoryMessage[];
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
  return {
    messages: [...turns, ...reminders].toSorted((one, other) => other.id - one.id).map(toHistoryMessage),
    previousId,
  };
}

/** Messages of a conversation in all branches, oldest first. */
export interface ConversationHistory {
  readonly messages: readonly HistoryMessage[];
  /** False if the oldest messages are missing, because not all fit. */
  readonly isComplete: boolean;
}

const MAX_MESSAGES = 5000;
const MAX_CHARACTERS = 8_000_000;
/** The embedded database runs in this thread: a batch of this size blocks it for some milliseconds. */
const BATCH_MESSAGES = 50;

/** Reads the newest messages of a conversation, up to 5000 messages and 8 million characters. */
export async function readHistory(db: Database, conversationId: number): Promise<ConversationHistory> {
  const newestFirst: HistoryMessage[] = [];
  let characters = 0;
  for (;;) {
    const last = newestFirst.at(-1);
    const isOlder = last && lt(messages.id, last.id);
    const rows = await db
      .select()
      .from(messages)
      .where(and(eq(messages.conversationId, conversationId), isOlder))
      .orderBy(desc(messages.id))
      .limit(BATCH_MESSAGES);
    for (const row of rows) {
      characters += row.content.length;
      if (characters > MAX_CHARACTERS || newestFirst.length === MAX_MESSAGES)
        return { messages: newestFirst.reverse(), isComplete: false };
      newestFirst.push(toHistoryMessage(row));
    }
    if (rows.length < BATCH_MESSAGES) return { messages: newestFirst.reverse(), isComplete: true };
    await yieldToEventLoop();
  }
}
