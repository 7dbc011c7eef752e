/** Something that can be found: a message, the text of one of its attachments, or a stored file. */
export type EntryKey =
  | { readonly kind: 'message'; readonly messageId: number }
  | { readonly kind: 'attachment'; readonly messageId: number; readonly position: number }
  | { readonly kind: 'file'; readonly fileId: string };

const ENTRY_ID = /^(?:m(?<message>\d{1,15})|a(?<owner>\d{1,15})-(?<position>\d{1,4})|f(?<file>[\w-]{22}))$/;

/** Returns the id of an entry for models, links and buttons: letters, digits, `_` and `-`. It gives no access by itself. */
export function toEntryId(key: EntryKey): string {
  if (key.kind === 'file') return `f${key.fileId}`;
  return key.kind === 'message' ? `m${key.messageId}` : `a${key.messageId}-${key.position}`;
}

/** Returns undefined for a text that is no id. */
export function parseEntryId(id: string): EntryKey | undefined {
  const { message, owner, position, file } = ENTRY_ID.exec(id)?.groups ?? {};
  if (file !== undefined) return { kind: 'file', fileId: file };
  if (message !== undefined) return { kind: 'message', messageId: Number(message) };
  if (owner !== undefined) return { kind: 'attachment', messageId: Number(owner), position: Number(position) };
  return undefined;
}

/** Returns the entry that a chunk or change belongs to. */
export function toEntryKey({
  messageId,
  position,
  fileId,
}: {
  readonly messageId: number | null;
  readonly position: number | null;
  readonly fileId: string | null;
}): EntryKey {
  if (fileId !== null) return { kind: 'file', fileId };
  if (messageId === null) throw new Error('A row of the library has neither a message nor a file');
  return position === null ? { kind: 'message', messageId } : { kind: 'attachment', messageId, position };
}
