import type { RecordedMessage } from '../../../core/conversations/index.ts';
import type { ExportedConversation, PersonalExport } from '../../../core/personal-data/index.ts';

type Message = RecordedMessage;

/**
 * Formats conversations for reading, oldest first. Texts are not escaped, so they read as in the chat. A branch names
 * the number of the message that it continues from.
 */
export function toMarkdown({ conversations, isComplete }: PersonalExport): string {
  const heading = isComplete
    ? '# Conversations'
    : '# Conversations\n\nNot everything fits: the oldest messages are missing.';
  return `${[heading, ...conversations.map(toConversation)].join('\n\n')}\n`;
}

/**
 * Formats one conversation with its branches.
 * @param userHeading heading of each question.
 */
export function toConversationMarkdown(
  { title, messages, isComplete }: { title: string; messages: readonly Message[]; isComplete: boolean },
  userHeading: string,
): string {
  const heading = isComplete ? `# ${title}` : `# ${title}\n\nNot everything fits: the oldest messages are missing.`;
  return `${[heading, ...toMessages(messages, userHeading)].join('\n\n')}\n`;
}

function toConversation({ id, chatId, topicId, title, messages }: ExportedConversation): string {
  const where = topicId === null ? `chat ${chatId}` : `chat ${chatId}, topic ${topicId}`;
  const name = title === null ? `Conversation ${id}` : `${title}: conversation ${id}`;
  return [`## ${name} (${where})`, ...toMessages(messages, 'You')].join('\n\n');
}

function toMessages(messages: readonly Message[], userHeading: string): readonly string[] {
  return messages.map((message, at) => toMessage(message, messages[at - 1], userHeading));
}

function toMessage(message: Message, before: Message | undefined, userHeading: string): string {
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
