import type { ChatOwner } from '../../core/conversations/index.ts';
import type { AnswerContext } from './answer-context.ts';
import { isGroup } from './chats.ts';
import type { BotContext } from './context.ts';

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
