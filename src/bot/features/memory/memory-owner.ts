import type { Memory, MemoryOwner } from '../../../core/memory/index.ts';
import type { AnswerContext } from '../../framework/answer-context.ts';
import { isGroup } from '../../framework/chat-topic.ts';
import type { BotContext } from '../../framework/context.ts';

/** Returns the owner of the memories that a chat shows: the group, or the user in private chats. */
export function toOwner({ chat, user }: BotContext): MemoryOwner {
  return chat && isGroup(chat) ? { groupId: chat.id } : { userId: user.id };
}

/** Returns the owner of the memories that an answer uses. */
export function toOwnerOfAnswer({
  chatTopic,
  isGroup,
  user,
}: Pick<AnswerContext, 'chatTopic' | 'isGroup' | 'user'>): MemoryOwner {
  return isGroup ? { groupId: chatTopic.chatId } : { userId: user.id };
}

/** Returns whether memory is on in the chat: in private chats by default, in groups once an admin has switched it on. */
export function isMemoryOn({ group, user }: Pick<BotContext, 'group' | 'user'>): boolean {
  return group ? group.settings.hasMemory === true : user.settings.hasMemory !== false;
}

/** Returns whether the user may switch memory and delete all of it: in groups only admins may. */
export async function mayManage(ctx: BotContext): Promise<boolean> {
  return 'userId' in toOwner(ctx) || ctx.isFromAdmin();
}

/** Returns whether the user may change and delete a memory: in groups its author and admins may. */
export async function mayChange(ctx: BotContext, { authorId }: Memory): Promise<boolean> {
  return authorId === ctx.user.id || mayManage(ctx);
}
