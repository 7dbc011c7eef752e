import type { ListedThread, ThreadDetails } from '../../../core/conversations/index.ts';
import type { BotDeps } from '../../framework/bot-deps.ts';
import type { BotContext } from '../../framework/context.ts';
import { isGroup } from '../../framework/place.ts';
import type { ActionAnswer } from '../../framework/press.ts';
import { showView } from '../../framework/view.ts';
import type { ThreadListing } from './actions.ts';
import { texts } from './texts/index.ts';
import { type ThreadViewServices, toThreadMenu, toThreadScope } from './thread-menu.ts';

/** Returns a conversation that this chat or topic can access. */
export async function findReachableThread(
  { conversations }: Pick<BotDeps, 'conversations'>,
  ctx: BotContext,
  threadId: number,
): Promise<ListedThread | undefined> {
  const scope = toThreadScope(ctx);
  const thread = await conversations.findListedThread(threadId);
  if (!scope || thread?.place.chatId !== scope.chatId) return undefined;
  return scope.hasAllTopics || thread.place.topicId === scope.topicId ? thread : undefined;
}

/** Returns whether a conversation belongs to the chat of an update, also if the group has become a supergroup since. */
export async function isOfThisChat(
  { conversations, groups }: Pick<BotDeps, 'conversations' | 'groups'>,
  { chatId }: BotContext,
  threadId: number,
): Promise<boolean> {
  const thread = await conversations.findThread(threadId);
  return thread !== undefined && chatId !== undefined && groups.isSameChat(thread.place.chatId, chatId);
}

/** Returns whether the user may delete or export a conversation. In groups: its starter and the admins. */
export async function mayTakeAway(ctx: BotContext, thread: ThreadDetails): Promise<boolean> {
  if (!ctx.chat || !ctx.from) return false;
  return !isGroup(ctx.chat) || thread.userId === ctx.user.id || (await ctx.isFromAdmin());
}

/** Returns the notice for a conversation that no longer exists, and shows the list. */
export function toGoneThread(
  deps: ThreadViewServices,
  ctx: BotContext,
  listing: ThreadListing = { page: 0 },
): ActionAnswer {
  return {
    hint: texts[ctx.locale].gone,
    afterwards: async () => showView(ctx, await toThreadMenu(deps, ctx, listing)),
  };
}
