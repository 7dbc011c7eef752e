import type { ExportedConversation, PersonalExport } from '../../core/personal-data/index.ts';

type Message = ExportedConversation['messages'][number];

/**
 * Conversations to read, oldest first. Words are as they were written: nothing in them is escaped, so that they read as they did in
 * the chat. Branches are named by the number of the message that they go on from.
 */
export function toMarkdown({ conversations, isComplete }: PersonalExport): string {
  const heading = isComplete ? '# Conversations' : '# Conversations\n\nThere is more than fits: the oldest is missing.';
  return `${[heading, ...conversations.map(toConversation)].join('\n\n')}\n`;
}

function toConversation({ id, chatId, topicId, messages }: ExportedConversation): string {
  const where = topicId === null ? `chat ${chatId}` : `chat ${chatId}, topic ${topicId}`;
  return [
    `## Conversation ${id} (${where})`,
    ...messages.map((message, at) => toMessage(message, messages[at - 1])),
  ].join('\n\n');
}

function toMessage(message: Message, before: Message | undefined): string {
  const who = message.role === 'user' ? 'You' : (message.model ?? 'Answer');
  const isBranch = before !== undefined && message.parentId !== null && message.parentId !== before.id;
  const notes = [
    message.createdAt.toISOString(),
    `message ${message.id}`,
    ...(isBranch ? [`goes on from message ${message.parentId}`] : []),
    ...(message.photoCount > 0 ? [`photos: ${message.photoCount}`] : []),
  ];
  const files = message.files.map(({ name, text }) => `**${name}**\n\n${text}`);
  return [`### ${who}`, `_${notes.join(', ')}_`, message.content, ...files].join('\n\n');
}
