import { eq, isNull, type SQL } from 'drizzle-orm';
import { threads } from '../../database/schema/index.ts';

/** Location of a conversation: a chat, or one topic of it. */
export interface Place {
  readonly chatId: number;
  /** Telegram's `message_thread_id`; undefined outside topics. */
  readonly topicId: number | undefined;
}

/** Returns the conditions for conversations of exactly this chat or topic. */
export function isAt(place: Place): readonly SQL[] {
  return [
    eq(threads.chatId, place.chatId),
    place.topicId === undefined ? isNull(threads.topicId) : eq(threads.topicId, place.topicId),
  ];
}
