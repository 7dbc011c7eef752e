import type { AnswerContext } from './answer-context.ts';
import { isGroup } from './chat-topic.ts';
import type { BotContext } from './context.ts';

/** Owner of what is kept in a chat: the user in private chats, else the group. */
export type ChatOwner = { readonly userId: number } | { readonly groupId: number };

/** Returns the owner of what the chat of an update shows. */
export function toOwner({ chat, user }: BotContext): ChatOwner {
  return chat && isGroup(chat) ? { groupId: chat.id } : { userId: user.id };
}

/** Returns the owner of what an answer uses. */
export function toOwnerOfAnswer({
  chatTopic,
  isGroup: isInGroup,
  user,
}: Pick<AnswerContext, 'chatTopic' | 'isGroup' | 'user'>): ChatOwner {
  return isInGroup ? { groupId: chatTopic.chatId } : { userId: user.id };
}
