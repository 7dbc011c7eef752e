import { toMarkdownMessages } from '../../../core/conversations/index.ts';
import type { ExportedConversation, PersonalExport } from '../../../core/personal-data/index.ts';

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

function toConversation({ id, chatId, topicId, title, messages }: ExportedConversation): string {
  const where = topicId === null ? `chat ${chatId}` : `chat ${chatId}, topic ${topicId}`;
  const name = title === null ? `Conversation ${id}` : `${title}: conversation ${id}`;
  return [`## ${name} (${where})`, ...toMarkdownMessages(messages, 'You')].join('\n\n');
}
