import type { MessageExtras, StoredMessage } from '../../core/conversations/index.ts';

/** What somebody wrote in one Telegram message. */
export interface QuestionPart {
  readonly telegramMessageId: number;
  readonly content: string;
}

/** A text that was too long for a message leaves one that is nearly full (Telegram cuts at 4096 units, apps at a space before). */
const CUT_UNITS = 3900;
const FULL_UNITS = 4096;

const HELD_MS = 1000;

/** How long to wait for more before anybody answers: Telegram's apps cut what is too long for one message. */
export function toHeldMs(part: Pick<QuestionPart, 'content'>): number {
  return isCutOff(part) ? HELD_MS : 0;
}

function isCutOff({ content }: Pick<QuestionPart, 'content'>): boolean {
  return content.length >= CUT_UNITS;
}

/** The parts of a question; of one that was written at once only its own. */
export function listParts(
  { content, extras }: Pick<StoredMessage, 'content' | 'extras'>,
  telegramMessageId: number,
): readonly QuestionPart[] {
  return extras.parts ?? [{ telegramMessageId, content }];
}

/** Several parts as one question. Of an album most have no words. */
export function joinParts(parts: readonly QuestionPart[]): {
  readonly content: string;
  readonly extras: Pick<MessageExtras, 'parts'>;
} {
  const written = parts.filter((part) => part.content !== '');
  const content = written.reduce((text, part, index) => text + toSeam(written[index - 1]) + part.content, '');
  return { content, extras: parts.length > 1 ? { parts } : {} };
}

/** A cut at the last possible place may go through a word; apps cut at a line or a space where they find one. */
function toSeam(before: QuestionPart | undefined): string {
  if (!before) return '';
  if (!isCutOff(before)) return '\n\n';
  return before.content.length >= FULL_UNITS ? '' : '\n';
}
