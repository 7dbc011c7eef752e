import type { Attachment, StoredMessage } from '../../core/conversations/index.ts';
import type { QuestionPart } from './question-parts.ts';

/** Question in a Telegram message or an album. */
export interface Question {
  readonly content: string;
  readonly attachments: readonly Attachment[];
  /** For an album, its first message. */
  readonly telegramMessageId: number;
  /** Messages of an album, in order. Default none. */
  readonly parts?: readonly QuestionPart[];
  /** Parent in the tree of messages; undefined means the newest message of the topic's current conversation. */
  readonly parent: StoredMessage | undefined;
  /** User's message of the reminder that it replies to. */
  readonly repliedReminderId?: number | undefined;
}

/** Returns whether a question is empty. An image is a question by itself; a document needs a text. */
export function isEmptyQuestion({ content, attachments }: Pick<Question, 'content' | 'attachments'>): boolean {
  return content === '' && attachments.every(({ kind }) => kind === 'document' || kind === 'stored');
}
