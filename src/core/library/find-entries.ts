import { and, eq, gt, inArray, isNull, lt, or, type SQL, sql } from 'drizzle-orm';
import type { Database } from '../../database/connect.ts';
import { conversations, files, messages } from '../../database/schema/index.ts';
import type { Clock } from '../../lib/clock.ts';
import type { ChatOwner, ChatTopic } from '../conversations/index.ts';
import { type EntryKey, toEntryId } from './entry-id.ts';

/** Entry of a library, without its text. */
export interface LibraryEntry {
  /** For models, links and buttons; valid for its owner only. */
  readonly id: string;
  readonly key: EntryKey;
  readonly sentAt: Date;
  /** Name of the file or attachment, or title of the conversation; undefined if there is none. */
  readonly title: string | undefined;
  /** Author of a message; undefined for files. */
  readonly role: 'user' | 'assistant' | undefined;
  /** Conversation of a message or attachment. */
  readonly conversationId: number | undefined;
  /** The first Telegram message that shows it; undefined for stored files, and if there is none. */
  readonly shownIn: (ChatTopic & { readonly telegramMessageId: number }) | undefined;
}

export interface FindEntriesDeps {
  readonly db: Database;
  readonly clock: Clock;
}

/** Returns those of the entries that the owner has, by id. Earlier versions of edited questions are left out. */
export async function findEntries(
  deps: FindEntriesDeps,
  owner: ChatOwner,
  keys: readonly EntryKey[],
): Promise<ReadonlyMap<string, LibraryEntry>> {
  const [ofMessages, ofFiles] = await Promise.all([
    findMessageEntries(deps, owner, keys),
    findFileEntries(deps, owner, keys),
  ]);
  return new Map([...ofMessages, ...ofFiles].map((entry) => [entry.id, entry]));
}

async function findMessageEntries(
  { db }: FindEntriesDeps,
  owner: ChatOwner,
  keys: readonly EntryKey[],
): Promise<readonly LibraryEntry[]> {
  const wanted = keys.filter((key) => key.kind !== 'file');
  if (wanted.length === 0) return [];
  const { id: conversationId, chatId, topicId, title } = conversations;
  const rows = await db
    .select({
      id: messages.id,
      role: messages.role,
      attachments: messages.attachments,
      sentAt: messages.createdAt,
      conversationId,
      chatId,
      topicId,
      title,
      telegramMessageId: sql<number | null>`${FIRST_TELEGRAM_MESSAGE}`,
    })
    .from(messages)
    .innerJoin(conversations, eq(conversationId, messages.conversationId))
    .where(and(inArray(messages.id, [...new Set(wanted.map(({ messageId }) => messageId))]), isIn(owner), IS_CURRENT));
  const byId = new Map(rows.map((row) => [row.id, row]));
  return wanted.flatMap((key) => {
    const row = byId.get(key.messageId);
    const attachment = key.kind === 'attachment' ? row?.attachments[key.position] : undefined;
    if (!row || (key.kind === 'attachment' && !attachment)) return [];
    const place = { chatId: row.chatId, topicId: row.topicId ?? undefined };
    return {
      id: toEntryId(key),
      key,
      sentAt: row.sentAt,
      conversationId: row.conversationId,
      title: attachment && 'name' in attachment ? attachment.name : (row.title ?? undefined),
      role: key.kind === 'message' ? row.role : undefined,
      shownIn: row.telegramMessageId === null ? undefined : { ...place, telegramMessageId: row.telegramMessageId },
    };
  });
}

/** Returns the condition for the conversations of an owner. */
export function isIn(owner: ChatOwner): SQL | undefined {
  const { userId, chatId } = conversations;
  return 'userId' in owner
    ? and(eq(userId, owner.userId), gt(chatId, 0))
    : and(eq(chatId, owner.groupId), lt(chatId, 0));
}

/** First Telegram message of a message, else of the variant that the chat shows instead. */
const FIRST_TELEGRAM_MESSAGE = sql`coalesce(
  (select telegram_message_id from deliveries shown
    where shown.message_id = messages.id and shown.chat_id = conversations.chat_id order by page, telegram_message_id desc limit 1),
  (select telegram_message_id from deliveries shown join messages variant on variant.id = shown.message_id
    where messages.role = 'assistant' and variant.role = 'assistant' and variant.parent_id = messages.parent_id
    and shown.chat_id = conversations.chat_id order by page, telegram_message_id desc limit 1)
)`;

/**
 * False for earlier versions of edited questions and the answers to them: the Telegram messages of a question belong to
 * its newest version.
 */
const IS_CURRENT = sql`not exists (
  select from messages question join messages edited on edited.conversation_id = question.conversation_id
    and edited.parent_id is not distinct from question.parent_id and edited.role = 'user' and edited.id > question.id
  where question.id = case messages.role when 'user' then messages.id else messages.parent_id end
    and not exists (select from deliveries where message_id = question.id)
    and exists (select from deliveries where message_id = edited.id)
)`;

async function findFileEntries(
  { db, clock }: FindEntriesDeps,
  owner: ChatOwner,
  keys: readonly EntryKey[],
): Promise<readonly LibraryEntry[]> {
  const ids = keys.flatMap((key) => (key.kind === 'file' ? key.fileId : []));
  if (ids.length === 0 || !('userId' in owner)) return [];
  const rows = await db
    .select({ id: files.id, name: files.name, sentAt: files.createdAt })
    .from(files)
    .where(
      and(
        inArray(files.id, ids),
        eq(files.userId, owner.userId),
        eq(files.state, 'ready'),
        or(isNull(files.expiresAt), gt(files.expiresAt, new Date(clock.now()))),
        or(isNull(files.downloadsLeft), gt(files.downloadsLeft, 0)),
      ),
    );
  return rows.map(({ id: fileId, name, sentAt }) => {
    const key = { kind: 'file', fileId } as const;
    const ofMessage = { role: undefined, conversationId: undefined, shownIn: undefined };
    return { id: toEntryId(key), key, sentAt, title: name, ...ofMessage };
  });
}
