import { eq, isNull, type SQL } from 'drizzle-orm';
import { threads } from '../../database/schema/index.ts';

/** Where a conversation takes place: a chat, or one topic of it. */
export interface Place {
  readonly chatId: number;
  /** Telegram's `message_thread_id`; undefined outside topics. */
  readonly topicId: number | undefined;
}

/** Conditions that threads of exactly this place fulfil. */
export function isAt(place: Place): readonly SQL[] {
  return [
    eq(threads.chatId, place.chatId),
    place.topicId === undefined ? isNull(threads.topicId) : eq(threads.topicId, place.topicId),
  ];
}
