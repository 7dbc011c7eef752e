import type { Attachment, MessageExtras, StoredMessage } from '../../core/conversations/index.ts';

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

/** Text of one Telegram message of a question. */
export interface QuestionPart {
  readonly telegramMessageId: number;
  readonly content: string;
}

/** Minimum length of a message that may be cut: Telegram cuts at 4096 UTF-16 units, apps at a space before. */
const CUT_UNITS = 3900;
const FULL_UNITS = 4096;

const HELD_MS = 1000;

/**
 * Returns the time to wait for more messages, in milliseconds: Telegram's apps split a text that is too long for one
 * message.
 */
export function toHeldMs(part: Pick<QuestionPart, 'content'>): number {
  return isCutOff(part) ? HELD_MS : 0;
}

/** Returns whether a text may continue in the next message. */
export function isCutOff({ content }: Pick<QuestionPart, 'content'>): boolean {
  return content.length >= CUT_UNITS;
}

/** Returns the parts of a question; for a single message only itself. */
export function listParts(
  { content, extras }: Pick<StoredMessage, 'content' | 'extras'>,
  telegramMessageId: number,
): readonly QuestionPart[] {
  return extras.parts ?? [{ telegramMessageId, content }];
}

/** Joins parts to one question. Parts without text, as in albums, are skipped. */
export function joinParts(parts: readonly QuestionPart[]): {
  readonly content: string;
  readonly extras: Pick<MessageExtras, 'parts'>;
} {
  const written = parts.filter((part) => part.content !== '');
  const content = written.reduce((text, part, index) => text + toSeam(written[index - 1]) + part.content, '');
  return { content, extras: parts.length > 1 ? { parts } : {} };
}

/**
 * Returns the separator after a part. A full message may be cut within a word; shorter ones, and those with formatting,
 * are cut at a line or a space.
 */
function toSeam(before: QuestionPart | undefined): string {
  if (!before) return '';
  if (!isCutOff(before)) return '\n\n';
  return before.content.length === FULL_UNITS ? '' : '\n';
}
