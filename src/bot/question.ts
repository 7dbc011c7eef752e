import type { Attachment, StoredMessage } from '../core/conversations/index.ts';

/** A question as it stands in a Telegram message. */
export interface Question {
  readonly content: string;
  readonly attachments: readonly Attachment[];
  readonly telegramMessageId: number;
  /** The message of the tree that it goes on from; undefined means the newest of the place's current thread. */
  readonly parent: StoredMessage | undefined;
}
