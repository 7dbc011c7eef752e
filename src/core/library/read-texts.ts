import { and, eq, inArray, sql } from 'drizzle-orm';
import type { Database } from '../../database/connect.ts';
import { attachmentTexts, fileTexts, libraryChunks, messages } from '../../database/schema/index.ts';
import type { EntryKey } from './entry-id.ts';

/** Text of an entry that a chunk is cut from. */
const TEXT = sql<string>`coalesce(${attachmentTexts.text}, ${messages.content}, ${fileTexts.text})`;

/** Returns the texts of chunks by their ids; an empty text for files that are found by their names only. */
export async function readChunkTexts(db: Database, chunkIds: readonly number[]): Promise<ReadonlyMap<number, string>> {
  if (chunkIds.length === 0) return new Map();
  const { id, messageId, position, fileId, start, length } = libraryChunks;
  const rows = await db
    .select({ id, text: sql<string | null>`substr(${TEXT}, ${start} + 1, ${length})` })
    .from(libraryChunks)
    .leftJoin(messages, eq(messages.id, messageId))
    .leftJoin(attachmentTexts, and(eq(attachmentTexts.messageId, messageId), eq(attachmentTexts.position, position)))
    .leftJoin(fileTexts, eq(fileTexts.fileId, fileId))
    .where(inArray(id, [...chunkIds]));
  return new Map(rows.map((row) => [row.id, row.text ?? '']));
}

/** Returns the whole text of an entry; undefined if it has none. */
export async function readText(db: Database, key: EntryKey): Promise<string | undefined> {
  if (key.kind === 'file') {
    const isOfFile = eq(fileTexts.fileId, key.fileId);
    const [row] = await db.select({ text: fileTexts.text }).from(fileTexts).where(isOfFile);
    return row?.text ?? undefined;
  }
  if (key.kind === 'message') {
    const [row] = await db.select({ text: messages.content }).from(messages).where(eq(messages.id, key.messageId));
    return row?.text;
  }
  const isRead = and(eq(attachmentTexts.messageId, key.messageId), eq(attachmentTexts.position, key.position));
  const [row] = await db.select({ text: attachmentTexts.text }).from(attachmentTexts).where(isRead);
  return row?.text;
}
