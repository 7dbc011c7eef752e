import { eq, isNull, type SQL } from 'drizzle-orm';
import { conversations } from '../../database/schema/index.ts';

/** Location of a conversation: a chat, or one topic of it. */
export interface ChatTopic {
  readonly chatId: number;
  /** Telegram's `message_thread_id`; undefined outside topics. */
  readonly topicId: number | undefined;
}

/** Returns the conditions for conversations of exactly this chat or topic. */
export function isAt(chatTopic: ChatTopic): readonly SQL[] {
  return [
    eq(conversations.chatId, chatTopic.chatId),
    chatTopic.topicId === undefined ? isNull(conversations.topicId) : eq(conversations.topicId, chatTopic.topicId),
  ];
}
