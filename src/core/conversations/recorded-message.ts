import type { messages } from '../../database/schema/index.ts';

/** A message as users read and export it. */
export interface RecordedMessage {
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

export function toRecorded(row: typeof messages.$inferSelect): RecordedMessage {
  const { id, parentId, role, model, createdAt, attachments, content } = row;
  const photoCount = attachments.filter(({ kind }) => kind === 'photo').length;
  const files = attachments.flatMap((file) =>
    file.kind === 'photo' || file.kind === 'link' ? [] : [{ name: file.name, text: '' }],
  );
  return { id, parentId, role, model, createdAt, photoCount, files, content };
}
