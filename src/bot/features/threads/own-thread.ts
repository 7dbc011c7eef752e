import type { ListedThread, ThreadDetails } from '../../../core/conversations/index.ts';
import type { BotDeps } from '../../framework/bot-deps.ts';
import type { BotContext } from '../../framework/context.ts';
import { isGroup } from '../../framework/place.ts';
import type { PressAnswer } from '../../framework/press.ts';
import { showView } from '../../framework/view.ts';
import type { ThreadListing } from './actions.ts';
import { texts } from './texts/index.ts';
import { type ThreadViewServices, toThreadMenu, toThreadScope } from './thread-menu.ts';

/** A conversation that can be reached from here. */
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

/** Whether a conversation is of the chat of an update, be it from before or after a group became a supergroup. */
export async function isOfThisChat(
  { conversations, groups }: Pick<BotDeps, 'conversations' | 'groups'>,
  { chatId }: BotContext,
  threadId: number,
): Promise<boolean> {
  const thread = await conversations.findThread(threadId);
  return thread !== undefined && chatId !== undefined && groups.isSameChat(thread.place.chatId, chatId);
}

/** Whether the person may take a conversation away, or out of the chat. In groups: who began it, and the admins of the group. */
export async function mayTakeAway(ctx: BotContext, thread: ThreadDetails): Promise<boolean> {
  if (!ctx.chat || !ctx.from) return false;
  return !isGroup(ctx.chat) || thread.userId === ctx.user.id || (await ctx.isFromAdmin());
}

/** What a press says that came too late. The list shows what is left. */
export function toGoneThread(
  deps: ThreadViewServices,
  ctx: BotContext,
  listing: ThreadListing = { page: 0 },
): PressAnswer {
  return {
    hint: texts[ctx.locale].gone,
    afterwards: async () => showView(ctx, await toThreadMenu(deps, ctx, listing)),
  };
}
