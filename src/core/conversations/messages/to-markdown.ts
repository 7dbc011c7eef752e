import type { ConversationHistory, HistoryMessage } from './history.ts';

interface Titled extends ConversationHistory {
  readonly title: string;
}

/**
 * Formats one conversation with its branches.
 * @param userHeading heading of each question.
 */
export function toConversationMarkdown(conversation: Titled, userHeading: string): string {
  return [...toConversationChunks(conversation, userHeading)].join('');
}

/** Formats one conversation like `toConversationMarkdown`, message by message. */
export function* toConversationChunks(
  { title, messages, isComplete }: Titled,
  userHeading: string,
): Generator<string, void> {
  yield isComplete ? `# ${title}` : `# ${title}\n\nNot everything fits: the oldest messages are missing.`;
  for (const [at, message] of messages.entries())
    yield `\n\n${toMarkdownMessage(message, messages[at - 1], userHeading)}`;
  yield '\n';
}

/**
 * Formats a message for reading. Texts are not escaped, so they read as in the chat. A branch names the number of the
 * message that it continues from.
 * @param before the message that is above it in the text.
 */
export function toMarkdownMessage(
  message: HistoryMessage,
  before: HistoryMessage | undefined,
  userHeading: string,
): string {
  const author = message.role === 'user' ? userHeading : (message.model ?? 'Answer');
  const isBranch = before !== undefined && message.parentId !== null && message.parentId !== before.id;
  const lines = [
    message.createdAt.toISOString(),
    `message ${message.id}`,
    ...(isBranch ? [`continues from message ${message.parentId}`] : []),
    ...(message.photoCount > 0 ? [`photos: ${message.photoCount}`] : []),
  ];
  const files = message.files.map(({ name, text }) => `**${name}**\n\n${text}`);
  return [`### ${author}`, `_${lines.join(', ')}_`, message.content, ...files].join('\n\n');
}
