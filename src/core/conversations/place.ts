/** Where a conversation takes place: a chat, or one topic of it. */
export interface Place {
  readonly chatId: number;
  /** Telegram's `message_thread_id`; undefined outside topics. */
  readonly topicId: number | undefined;
}
