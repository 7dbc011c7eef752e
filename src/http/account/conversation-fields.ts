import type { HistoryMessage, ListedConversation } from '../../core/conversations/index.ts';
import { toTime } from '../resources/fields.ts';

/** A conversation in the private chat of the user. */
export interface Conversation {
  readonly id: number;
  /** null: it has no title yet. */
  readonly title: string | null;
  /** Beginning of the first question; may be empty. */
  readonly first_words: string;
  /** Counted up to 1000. */
  readonly message_count: number;
  readonly last_message_at: string;
  /** Whether it is continued by the next message to the bot. */
  readonly is_current: boolean;
  readonly is_archived: boolean;
}

/** A message of the visible branch. */
export interface ConversationMessage {
  readonly id: number;
  readonly role: 'user' | 'assistant';
  /** Model of an answer; null for questions. */
  readonly model: string | null;
  readonly created_at: string;
  /** Markdown, as it was written. */
  readonly content: string;
  readonly photo_count: number;
  /** Names of attached documents, recordings and web pages. */
  readonly files: readonly string[];
}

export function toConversation(conversation: ListedConversation): Conversation {
  return {
    id: conversation.id,
    title: conversation.title ?? null,
    first_words: conversation.firstWords,
    message_count: conversation.messageCount,
    last_message_at: toTime(conversation.lastMessageAt),
    is_current: conversation.isCurrent,
    is_archived: conversation.isArchived,
  };
}

export function toConversationMessage(message: HistoryMessage): ConversationMessage {
  return {
    id: message.id,
    role: message.role,
    model: message.role === 'assistant' ? message.model : null,
    created_at: toTime(message.createdAt),
    content: message.content,
    photo_count: message.photoCount,
    files: message.files.map(({ name }) => name),
  };
}
