import { eq, inArray } from 'drizzle-orm';
import type { Database } from '../../database/connect.ts';
import { attachmentTexts, files, fileTexts, messages } from '../../database/schema/index.ts';
import { type EntryKey, toEntryId } from './entry-id.ts';
import { FILE_VERSION, MESSAGE_VERSION } from './read-changes.ts';

/**
 * Locks the texts of entries against changes and returns the ids of those that have not changed since they were read.
 * For the others, a newer change waits to be indexed.
 */
export async function lockCurrent(
  tx: Database,
  entries: readonly { readonly key: EntryKey; readonly version: string | undefined }[],
): Promise<ReadonlySet<string>> {
  const messageIds = entries.flatMap(({ key }) => (key.kind === 'message' ? key.messageId : []));
  const attached = entries.flatMap(({ key }) => (key.kind === 'attachment' ? key.messageId : []));
  const fileIds = entries.flatMap(({ key }) => (key.kind === 'file' ? key.fileId : []));
  const contents = await tx
    .select({ messageId: messages.id, version: MESSAGE_VERSION })
    .from(messages)
    .where(inArray(messages.id, messageIds))
    .orderBy(messages.id)
    .for('share');
  const attachments = await tx
    .select({ messageId: attachmentTexts.messageId, position: attachmentTexts.position })
    .from(attachmentTexts)
    .where(inArray(attachmentTexts.messageId, attached))
    .for('share');
  const stored = await tx
    .select({ fileId: files.id, version: FILE_VERSION })
    .from(files)
    .leftJoin(fileTexts, eq(fileTexts.fileId, files.id))
    .where(inArray(files.id, fileIds))
    .orderBy(files.id)
    .for('share', { of: files });
  const versions = new Map<string, string | undefined>([
    ...contents.map(({ version, ...key }) => [toEntryId({ kind: 'message', ...key }), version] as const),
    ...attachments.map((key) => [toEntryId({ kind: 'attachment', ...key }), undefined] as const),
    ...stored.map(({ version, ...key }) => [toEntryId({ kind: 'file', ...key }), version] as const),
  ]);
  const ids = entries.map(({ key, version }) => ({ id: toEntryId(key), version }));
  return new Set(ids.flatMap(({ id, version }) => (versions.has(id) && versions.get(id) === version ? id : [])));
}
