import { toMarkdownMessage } from '../../../core/conversations/index.ts';
import type { ExportedConversation, PersonalExport } from '../../../core/personal-data/index.ts';

/**
 * Formats conversations for reading, oldest first, in parts that are to be joined. Texts are not escaped, so they read as
 * in the chat. A branch names the number of the message that it continues from.
 */
export function* toMarkdown({ conversations, isComplete }: PersonalExport): Generator<string, void, undefined> {
  const heading = isComplete
    ? '# Conversations'
    : '# Conversations\n\nNot everything fits: the oldest messages are missing.';
  yield heading;
  for (const conversation of conversations) {
    yield `\n\n${toHeading(conversation)}`;
    for (const [at, message] of conversation.messages.entries())
      yield `\n\n${toMarkdownMessage(message, conversation.messages[at - 1], 'You')}`;
  }
  yield '\n';
}

function toHeading({ id, chatId, topicId, title }: ExportedConversation): string {
  const where = topicId === null ? `chat ${chatId}` : `chat ${chatId}, topic ${topicId}`;
  const name = title === null ? `Conversation ${id}` : `${title}: conversation ${id}`;
  return `## ${name} (${where})`;
}
