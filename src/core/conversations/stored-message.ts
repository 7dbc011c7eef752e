import type { MessageAttachment, MessageExtras, messages } from '../../database/schema/index.ts';

/** One message of the tree. */
export interface StoredMessage {
  readonly id: number;
  readonly threadId: number;
  readonly parentId: number | undefined;
  readonly role: 'user' | 'assistant';
  /** Markdown as it was written. */
  readonly content: string;
  readonly attachments: readonly Attachment[];
  /** Of an assistant's message: the public model name that was asked. */
  readonly model: string | undefined;
  /** Of an assistant's message: undefined while it is being written; `stop`, `length`, `stopped` (by the person), `error`, … after. */
  readonly finishReason: string | undefined;
  /** What belongs to it beside the text. */
  readonly extras: MessageExtras;
  /** Of an assistant's message: the answer in whose Telegram messages it is written. */
  readonly replacesId: number | undefined;
  /** Who wrote a user's message, where that is known. */
  readonly userId: number | undefined;
}

/** A file that stands in a message, kept at Telegram: a picture, something to read, or something to listen to. Or a page of the web. */
export type Attachment = MessageAttachment;

/** A row of the tree as the rest of the product sees it. */
export function toMessage(row: typeof messages.$inferSelect): StoredMessage {
  return {
    id: row.id,
    threadId: row.threadId,
    parentId: row.parentId ?? undefined,
    role: row.role,
    content: row.content,
    attachments: row.attachments,
    model: row.model ?? undefined,
    finishReason: row.finishReason ?? undefined,
    extras: row.extras ?? {},
    replacesId: row.replacesId ?? undefined,
    userId: row.userId ?? undefined,
  };
}
