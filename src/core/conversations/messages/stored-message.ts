import type { MessageAttachment, MessageExtras, messages } from '../../../database/schema/index.ts';

/** One message of the tree. */
export interface StoredMessage {
  readonly id: number;
  readonly conversationId: number;
  readonly parentId: number | undefined;
  readonly role: 'user' | 'assistant';
  readonly content: string;
  readonly attachments: readonly Attachment[];
  /** Public name of the requested model; assistant's messages only. */
  readonly model: string | undefined;
  /**
   * Assistant's messages only: undefined while in progress, then `stop`, `length`, `stopped` (by the user), `error`, …
   */
  readonly finishReason: string | undefined;
  /** Data in addition to the text. */
  readonly extras: MessageExtras;
  /** Id of the answer whose Telegram messages this one overwrites; assistant's messages only. */
  readonly replacesId: number | undefined;
  /** Author of a user's message, if known. */
  readonly userId: number | undefined;
}

/** An attachment of a message: an image, document or recording stored at Telegram, a stored file, or a web page. */
export type Attachment = MessageAttachment;

/** Converts a row to a message. */
export function toMessage(row: typeof messages.$inferSelect): StoredMessage {
  return {
    id: row.id,
    conversationId: row.conversationId,
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
