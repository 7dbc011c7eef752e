import {
  type ListedConversation,
  type RecordedMessage,
  toConversationMarkdown,
} from '../../../core/conversations/index.ts';
import { toOneLine } from '../../../lib/one-line.ts';
import { toConversation, toConversationMessage } from './conversation-fields.ts';

export const EXPORT_FORMATS = ['markdown', 'json'] as const;

/** A conversation as a file, with all its branches. */
interface ConversationExport {
  readonly name: string;
  readonly mediaType: string;
  readonly text: string;
}

export function toConversationExport(
  conversation: ListedConversation,
  { messages, isComplete }: { readonly messages: readonly RecordedMessage[]; readonly isComplete: boolean },
  format: (typeof EXPORT_FORMATS)[number],
): ConversationExport {
  const name = `conversation-${conversation.id}`;
  if (format === 'json') {
    const branches = messages.map((message) => ({ ...toConversationMessage(message), parent_id: message.parentId }));
    const content = { ...toConversation(conversation), is_complete: isComplete, messages: branches };
    return { name: `${name}.json`, mediaType: 'application/json', text: JSON.stringify(content, undefined, 2) };
  }
  const title = conversation.title ?? (toOneLine(conversation.firstWords) || `Conversation ${conversation.id}`);
  const text = toConversationMarkdown({ title, messages, isComplete }, 'You');
  return { name: `${name}.md`, mediaType: 'text/markdown', text: text.toWellFormed() };
}
