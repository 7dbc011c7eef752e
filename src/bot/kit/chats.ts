import type { Chat, MaybeInaccessibleMessage, Message } from 'grammy/types';
import { type ChatOwner, type ChatTopic, countsAlone } from '../../core/conversations/index.ts';
import type { BotContext } from './context.ts';
import type { AnswerContext } from './feature.ts';

/**
 * Returns the chat and topic of a message. Only messages in topics have a meaningful `message_thread_id`: in other
 * groups it names a chain of replies, and Telegram refuses sends with it. The General topic of a forum has no topic id.
 */
export function toChatTopic(message: Message | MaybeInaccessibleMessage): ChatTopic {
  const isTopic = 'is_topic_message' in message && message.is_topic_message === true;
  return { chatId: message.chat.id, topicId: isTopic ? message.message_thread_id : undefined };
}

/** Returns whether a message is in a chain of replies, such as the comments of a channel, which show only replies. */
export function isInChain(message: Message | MaybeInaccessibleMessage): boolean {
  return (
    'message_thread_id' in message &&
    message.message_thread_id !== undefined &&
    toChatTopic(message).topicId === undefined
  );
}

/** Returns a string that identifies a chat and topic, for maps and storage keys. */
export function toChatTopicKey(chatTopic: ChatTopic): string {
  return chatTopic.topicId === undefined ? `${chatTopic.chatId}` : `${chatTopic.chatId}:${chatTopic.topicId}`;
}

export function isGroup(chat: Chat): boolean {
  return chat.type === 'group' || chat.type === 'supergroup';
}

/** Returns whether only the user and the bot see the chat. */
export function isPrivate({ chat }: { readonly chat?: Chat | undefined }): boolean {
  return chat?.type === 'private';
}

/** Id of the General topic of a group. Message sends must omit it, but the typing status needs it. */
const GENERAL_TOPIC_ID = 1;

/** Returns the topic for the typing status. */
export function toTypingTopicId(chat: Chat, chatTopic: ChatTopic): number | undefined {
  const isInForum = chat.type === 'supergroup' && chat.is_forum === true;
  return chatTopic.topicId ?? (isInForum ? GENERAL_TOPIC_ID : undefined);
}

/**
 * Returns the `message_thread_id` for sends; undefined for a group's General topic. Telegram shows that topic
 * under an id but refuses the id on sends. `toChatTopic` returns it only if a server marks messages there as topic
 * messages. Private chats have no General topic, so every id is valid.
 */
export function toSendTopicId(target: {
  readonly topicId?: number | undefined;
  readonly isPrivate: boolean;
}): number | undefined {
  return !target.isPrivate && target.topicId === GENERAL_TOPIC_ID ? undefined : target.topicId;
}

/** Ids of supergroups in links lack this prefix of their chat ids. */
const SUPERGROUP_PREFIX = '-100';

/** Returns the link to a message of a supergroup, which its members can open; undefined elsewhere: there are none. */
export function findMessageLink(chatId: number, telegramMessageId: number): string | undefined {
  if (!countsAlone(chatId)) return undefined;
  return `https://t.me/c/${String(chatId).slice(SUPERGROUP_PREFIX.length)}/${telegramMessageId}`;
}

/** Returns the owner of what the chat of an update shows. */
export function toOwner({ chat, user }: BotContext): ChatOwner {
  return chat && isGroup(chat) ? { groupId: chat.id } : { userId: user.id };
}

/** Returns the owner of what an answer uses. */
export function toOwnerOfAnswer({
  chatTopic,
  isGroup: isInGroup,
  user,
}: Pick<AnswerContext, 'chatTopic' | 'isGroup'> & { readonly user: Pick<AnswerContext['user'], 'id'> }): ChatOwner {
  return isInGroup ? { groupId: chatTopic.chatId } : { userId: user.id };
}

/** Returns the options that send a message to a topic. @param replyTo message to reply to, which may be deleted. */
export function toSendOptions({ topicId }: Pick<ChatTopic, 'topicId'>, replyTo?: number) {
  return {
    ...(topicId !== undefined && { message_thread_id: topicId }),
    ...(replyTo !== undefined && { reply_parameters: { message_id: replyTo, allow_sending_without_reply: true } }),
  };
}
