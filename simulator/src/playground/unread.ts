import type { ChatMessage, ChatView } from '../control-protocol.ts';

export type Unread = ReturnType<typeof createUnread>;

/** Counts messages that arrive while their chat or topic is not open. */
export function createUnread() {
  const counts = new Map<string, number>();
  const keyOf = (chatId: number, topicId: number | undefined) => `${chatId}/${topicId ?? 0}`;

  return {
    countOf: (chatId: number, topicId: number | undefined) => counts.get(keyOf(chatId, topicId)) ?? 0,
    /** Returns the count over all topics. */
    countOfChat(chat: ChatView) {
      const own = [...counts].filter(([key]) => key.startsWith(`${chat.id}/`));
      return own.reduce((sum, [, count]) => sum + count, 0);
    },
    total: () => [...counts.values()].reduce((sum, count) => sum + count, 0),
    add(item: ChatMessage, hasTopics: boolean) {
      const topicId = hasTopics && item.message.is_topic_message ? item.message.message_thread_id : undefined;
      const key = keyOf(item.chatId, topicId);
      counts.set(key, (counts.get(key) ?? 0) + 1);
    },
    /** @returns whether there were unread messages */
    clear: (chatId: number, topicId: number | undefined): boolean => counts.delete(keyOf(chatId, topicId)),
  };
}
