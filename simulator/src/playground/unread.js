/** @import { ChatMessage, ChatView } from '../control-protocol.ts' */

/** @typedef {ReturnType<typeof createUnread>} Unread */

/** Counts messages that came while their chat or topic was not being read. */
export function createUnread() {
  /** @type {Map<string, number>} */
  const counts = new Map();
  /** @param {number} chatId @param {number | undefined} topicId */
  const keyOf = (chatId, topicId) => `${chatId}/${topicId ?? 0}`;

  return {
    /** @param {number} chatId @param {number | undefined} topicId */
    countOf: (chatId, topicId) => counts.get(keyOf(chatId, topicId)) ?? 0,
    /** Over all topics. @param {ChatView} chat */
    countOfChat(chat) {
      const own = [...counts].filter(([key]) => key.startsWith(`${chat.id}/`));
      return own.reduce((sum, [, count]) => sum + count, 0);
    },
    total: () => [...counts.values()].reduce((sum, count) => sum + count, 0),
    /** @param {ChatMessage} item @param {boolean} hasTopics */
    add(item, hasTopics) {
      const topicId = hasTopics && item.message.is_topic_message ? item.message.message_thread_id : undefined;
      const key = keyOf(item.chatId, topicId);
      counts.set(key, (counts.get(key) ?? 0) + 1);
    },
    /** @param {number} chatId @param {number | undefined} topicId @returns {boolean} whether there was something to read */
    clear: (chatId, topicId) => counts.delete(keyOf(chatId, topicId)),
  };
}
