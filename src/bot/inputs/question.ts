import type { Attachment, StoredMessage } from '../../core/conversations/index.ts';
import type { QuestionPart } from './question-parts.ts';

/** A question as it stands in a Telegram message, or in the messages of an album. */
export interface Question {
  readonly content: string;
  readonly attachments: readonly Attachment[];
  /** Of an album the first one. */
  readonly telegramMessageId: number;
  /** The messages of an album, in order. Default none. */
  readonly parts?: readonly QuestionPart[];
  /** The message of the tree that it goes on from; undefined means the newest of the place's current thread. */
  readonly parent: StoredMessage | undefined;
}

/** Whether nothing is asked. A picture is enough of a question; what is to be known of a document has to be said. */
export function isEmptyQuestion({ content, attachments }: Pick<Question, 'content' | 'attachments'>): boolean {
  return content === '' && attachments.every(({ kind }) => kind === 'document' || kind === 'stored');
}
