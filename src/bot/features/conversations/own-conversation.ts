import type { ConversationDetails, ListedConversation } from '../../../core/conversations/index.ts';
import type { ActionAnswer } from '../../kit/actions.ts';
import { isGroup } from '../../kit/chats.ts';
import type { BotContext } from '../../kit/context.ts';
import type { BotServices } from '../../kit/services.ts';
import { showView } from '../../kit/views.ts';
import type { ConversationListing } from './feature.ts';
import { texts } from './texts.ts';
import { toConversationMenu, toConversationScope } from './views.ts';

/** Returns a conversation that this chat or topic can access. */
export async function findReachableConversation(
  { conversations }: BotServices,
  ctx: BotContext,
  conversationId: number,
): Promise<ListedConversation | undefined> {
  const scope = toConversationScope(ctx);
  const conversation = await conversations.findListedConversation(conversationId);
  if (!scope || conversation?.chatTopic.chatId !== scope.chatId) return undefined;
  return scope.hasAllTopics || conversation.chatTopic.topicId === scope.topicId ? conversation : undefined;
}

/** Returns whether a conversation belongs to the chat of an update, also if the group has become a supergroup since. */
export async function isOfThisChat(
  { conversations, groups }: BotServices,
  { chatId }: BotContext,
  conversationId: number,
): Promise<boolean> {
  const conversation = await conversations.findConversation(conversationId);
  return conversation !== undefined && chatId !== undefined && groups.isSameChat(conversation.chatTopic.chatId, chatId);
}

/** Returns whether the user may delete or export a conversation. In groups: its starter and the admins. */
export async function mayTakeAway(ctx: BotContext, conversation: ConversationDetails): Promise<boolean> {
  if (!ctx.chat || !ctx.from) return false;
  return !isGroup(ctx.chat) || conversation.userId === ctx.user.id || (await ctx.isFromAdmin());
}

/** Returns the notice for a conversation that no longer exists, and shows the list. */
export function toGoneConversation(
  services: BotServices,
  ctx: BotContext,
  listing: ConversationListing = { page: 0 },
): ActionAnswer {
  return {
    hint: texts[ctx.locale].gone,
    afterwards: async () => showView(ctx, await toConversationMenu(services, ctx, listing)),
  };
}
