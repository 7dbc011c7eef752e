import type { Attachment, StoredMessage } from '../../core/conversations/index.ts';

/** Start of a forwarded message. */
const FORWARDED = '[forwarded from ';
/**
 * Lines of quotes and forwarded messages, and content that other users may have written: contacts, polls, checklists,
 * venues.
 */
const FOREIGN_MARKS = /^> |\[forwarded from |^\[(?:contact|poll|checklist|place)\] /m;

/** Returns the text as a Markdown quote. */
export function toQuote(text: string): string {
  return text.replaceAll(/^/gm, '> ');
}

/** Returns the first line of a forwarded text. */
export function toForwarded(name: string): string {
  return `${FORWARDED}${name}]`;
}

/**
 * Returns whether messages of a conversation contain text that the user has not written: files, images, pages,
 * forwarded and quoted messages, messages of other users, copied conversations, and answers to such text by models with
 * tools.
 * @param userId the user who is answered.
 */
export function containForeignText(path: readonly StoredMessage[], userId: number): boolean {
  return path.some((message) =>
    message.role === 'assistant'
      ? // An answer without a question was copied.
        message.parentId === undefined ||
        message.extras.hasForeignText === true ||
        Boolean(message.extras.sources?.length)
      : message.userId !== userId ||
        message.extras.hasForeignText === true ||
        FOREIGN_MARKS.test(message.content) ||
        message.attachments.some(isForeign),
  );
}

/**
 * Returns what the user has typed in a message, without quotes; empty if others or a model may have written parts of
 * it.
 */
export function readOwnWords({ content, extras, userId: authorId }: StoredMessage, userId: number): string {
  const words = content.replaceAll(/^>.*$/gm, '');
  const isOwn = authorId === userId && extras.hasForeignText !== true && extras.taskRun === undefined;
  return isOwn && !FOREIGN_MARKS.test(words) ? words : '';
}

/** A link is an address within the text; its page counts once it was read. */
function isForeign(attachment: Attachment): boolean {
  if (attachment.kind === 'recording') return attachment.isOwnVoice !== true;
  return attachment.kind !== 'link';
}
