import { and, desc, eq, inArray, sql } from 'drizzle-orm';
import type { Database } from '../../../database/connect.ts';
import {
  attachmentTexts,
  conversations,
  files,
  fileTexts,
  libraryChanges,
  messages,
} from '../../../database/schema/index.ts';
import type { ChatOwner } from '../../conversations/index.ts';
import { type EntryKey, toEntryId, toEntryKey } from '../entry-id.ts';

/** A text that has to be indexed. */
export interface Change {
  readonly id: number;
  readonly entry: EntryKey;
  /** Number of times that a process has begun to index it, including this time. */
  readonly attempts: number;
}

/** The text of an entry as it was read. */
export interface EntryText {
  readonly owner: ChatOwner;
  readonly sentAt: Date;
  /** Name that the entry is found by, in addition to its text. */
  readonly title: string | undefined;
  readonly text: string;
  /** Hash of what is indexed, to recognize changes. Undefined for texts that never change. */
  readonly version: string | undefined;
}

/** Time after which another process may index what a dead one has claimed. */
const LEASE = sql.raw(`interval '1 minute'`);

export const MESSAGE_VERSION = sql<string>`md5(${messages.content})`;
/** Changes with the name, and when the text has been read. */
export const FILE_VERSION = sql<string>`md5((${fileTexts.text} is not null)::text || ${files.name})`;

/** Claims changes for this process, and returns them from the oldest to the newest. */
export async function claimChanges(
  db: Database,
  which: 'newest' | 'oldest',
  limit: number,
): Promise<readonly Change[]> {
  const due = db
    .select({ id: libraryChanges.id })
    .from(libraryChanges)
    .where(sql`${libraryChanges.dueAt} <= now()`)
    .orderBy(which === 'newest' ? desc(libraryChanges.id) : libraryChanges.id)
    .limit(limit)
    .for('update', { skipLocked: true });
  const rows = await db
    .update(libraryChanges)
    .set({ attempts: sql`${libraryChanges.attempts} + 1`, dueAt: sql`now() + ${LEASE}` })
    // An array, not `in`: the planner may evaluate such a subquery once per row and claim other rows each time.
    .where(sql`${libraryChanges.id} = any(array(${due}))`)
    .returning();
  const changes = rows.map(({ id, attempts, ...columns }) => ({ id, attempts, entry: toEntryKey(columns) }));
  return changes.toSorted((one, other) => one.id - other.id);
}

/** Extends the leases of changes, which long texts before them may outlast. */
export async function renewLeases(db: Database, changes: readonly Change[]): Promise<void> {
  const ids = changes.map(({ id }) => id);
  await db
    .update(libraryChanges)
    .set({ dueAt: sql`now() + ${LEASE}` })
    .where(inArray(libraryChanges.id, ids));
}

/** Reads the texts of entries, by id. Missing: deleted ones, and those of conversations and files without an owner. */
export async function readEntryTexts(db: Database, keys: readonly EntryKey[]): Promise<ReadonlyMap<string, EntryText>> {
  const found = await Promise.all([readMessages(db, keys), readAttachments(db, keys), readFiles(db, keys)]);
  return new Map(found.flat().map(({ key, ...text }) => [toEntryId(key), text]));
}

type KeyedText = EntryText & { readonly key: EntryKey };

async function readMessages(db: Database, keys: readonly EntryKey[]): Promise<readonly KeyedText[]> {
  const ids = keys.flatMap((key) => (key.kind === 'message' ? key.messageId : []));
  if (ids.length === 0) return [];
  const rows = await db
    .select({ message: messages, conversation: conversations, version: MESSAGE_VERSION })
    .from(messages)
    .innerJoin(conversations, eq(conversations.id, messages.conversationId))
    .where(inArray(messages.id, ids));
  return rows.flatMap(({ message, conversation, version }) => {
    const owner = findOwner(conversation);
    const key = { kind: 'message', messageId: message.id } as const;
    const text = { sentAt: message.createdAt, title: undefined, text: message.content, version };
    return owner ? { key, owner, ...text } : [];
  });
}

async function readAttachments(db: Database, keys: readonly EntryKey[]): Promise<readonly KeyedText[]> {
  const wanted = keys.filter((key) => key.kind === 'attachment');
  if (wanted.length === 0) return [];
  const ids = new Set(wanted.map(toEntryId));
  const rows = await db
    .select({ read: attachmentTexts, message: messages, conversation: conversations })
    .from(attachmentTexts)
    .innerJoin(messages, eq(messages.id, attachmentTexts.messageId))
    .innerJoin(conversations, eq(conversations.id, messages.conversationId))
    .where(inArray(attachmentTexts.messageId, [...new Set(wanted.map(({ messageId }) => messageId))]));
  return rows.flatMap(({ read: { messageId, position, text }, message, conversation }) => {
    const owner = findOwner(conversation);
    const key = { kind: 'attachment', messageId, position } as const;
    const attachment = message.attachments[position];
    const title = attachment && 'name' in attachment ? attachment.name : undefined;
    return owner && ids.has(toEntryId(key))
      ? { key, owner, sentAt: message.createdAt, title, text, version: undefined }
      : [];
  });
}

async function readFiles(db: Database, keys: readonly EntryKey[]): Promise<readonly KeyedText[]> {
  const ids = keys.flatMap((key) => (key.kind === 'file' ? key.fileId : []));
  if (ids.length === 0) return [];
  const rows = await db
    .select({
      id: files.id,
      name: files.name,
      userId: files.userId,
      sentAt: files.createdAt,
      text: fileTexts.text,
      version: FILE_VERSION,
    })
    .from(files)
    .leftJoin(fileTexts, and(eq(fileTexts.fileId, files.id), eq(fileTexts.userId, files.userId)))
    .where(and(inArray(files.id, ids), eq(files.state, 'ready')));
  return rows.flatMap(({ id: fileId, name, userId, sentAt, text, version }) =>
    userId === null
      ? []
      : { key: { kind: 'file', fileId }, owner: { userId }, sentAt, title: name, text: text ?? '', version },
  );
}

/** Returns the owner of a conversation; undefined for those that only the API can reach. */
function findOwner({ chatId, userId }: typeof conversations.$inferSelect): ChatOwner | undefined {
  if (chatId === 0) return undefined;
  return chatId > 0 ? { userId } : { groupId: chatId };
}
