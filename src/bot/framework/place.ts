import type { Chat, MaybeInaccessibleMessage, Message } from 'grammy/types';
import type { Place } from '../../core/conversations/index.ts';

/**
 * Where a message stands. Only messages of a topic count its thread id: in other groups `message_thread_id` is a mere chain of replies,
 * and Telegram refuses sends that carry it. The General topic of a forum is the chat itself.
 */
export function toPlace(message: Message | MaybeInaccessibleMessage): Place {
  const isTopic = 'is_topic_message' in message && message.is_topic_message === true;
  return { chatId: message.chat.id, topicId: isTopic ? message.message_thread_id : undefined };
}

/** Whether a message stands in a chain of replies, as the comments of a channel do: what does not reply is not seen there. */
export function isInChain(message: Message | MaybeInaccessibleMessage): boolean {
  return (
    'message_thread_id' in message && message.message_thread_id !== undefined && toPlace(message).topicId === undefined
  );
}

/** Where somebody's work is meant: at a place, in all topics of its chat, or anywhere. */
export type WorkScope = (Place & { readonly hasAllTopics?: boolean }) | 'everywhere';

export function isWithin(place: Place, scope: WorkScope): boolean {
  if (scope === 'everywhere') return true;
  return place.chatId === scope.chatId && (scope.hasAllTopics === true || place.topicId === scope.topicId);
}

/** One string per place, for maps and storage keys. */
export function toPlaceKey(place: Place): string {
  return place.topicId === undefined ? `${place.chatId}` : `${place.chatId}:${place.topicId}`;
}

export function isGroup(chat: Chat): boolean {
  return chat.type === 'group' || chat.type === 'supergroup';
}

/** Whether nobody else sees what is shown. */
export function isPrivate({ chat }: { readonly chat?: Chat | undefined }): boolean {
  return chat?.type === 'private';
}

/** The General topic of a forum is nameless on sends, but typing is only shown in it under this id. */
const GENERAL_TOPIC_ID = 1;

/** The topic that typing has to name. */
export function toTypingTopicId(chat: Chat, place: Place): number | undefined {
  const isInForum = chat.type === 'supergroup' && chat.is_forum === true;
  return place.topicId ?? (isInForum ? GENERAL_TOPIC_ID : undefined);
}
