import type { BotDeps } from '../../framework/bot-deps.ts';
import type { CallbackActionOf } from '../../framework/callback-action.ts';
import { isPrivate } from '../../framework/chat-topic.ts';
import type { BotContext } from '../../framework/context.ts';
import type { ActionAnswer } from '../../framework/on-action.ts';
import { markParts, showView } from '../../framework/view.ts';
import type { ConversationViewServices } from './conversation-menu.ts';
import { findReachableConversation, toGoneConversation } from './own-conversation.ts';
import { texts } from './texts/index.ts';

export type ContinueByApiServices = ConversationViewServices & Pick<BotDeps, 'apiUrl' | 'responses'>;

/** Shows the response id of the last answer of a private conversation. */
export async function continueByApi(
  deps: ContinueByApiServices,
  ctx: BotContext,
  { conversationId, listing }: CallbackActionOf<'continue-thread-by-api'>,
): Promise<ActionAnswer> {
  const words = texts[ctx.locale];
  const conversation = isPrivate(ctx) ? await findReachableConversation(deps, ctx, conversationId) : undefined;
  if (!conversation) return toGoneConversation(deps, ctx, listing);
  const answerId = await findLastAnswerId(deps, conversationId);
  if (answerId === undefined) return { hint: words.noAnswerYet, isAlert: true };
  const id = await deps.responses.ensureForAnswer(ctx.user.id, answerId);
  const text = words.continueByApi(id, `${deps.apiUrl}/responses`);
  return { afterwards: () => showView(ctx, { text, entities: markParts(text, 'code', id) }) };
}

/** Returns the newest finished answer of the visible branch. */
async function findLastAnswerId(
  { conversations }: ContinueByApiServices,
  conversationId: number,
): Promise<number | undefined> {
  const latest = await conversations.findLatestMessage(conversationId);
  const path = latest ? await conversations.listPath(latest.id) : [];
  return path.findLast(({ role, finishReason }) => role === 'assistant' && finishReason !== undefined)?.id;
}
