import type { CallbackActionOf } from '../../framework/callback-action.ts';
import { isPrivate } from '../../framework/chat-topic.ts';
import type { BotContext } from '../../framework/context.ts';
import type { ActionAnswer } from '../../framework/on-action.ts';
import type { BotServices } from '../../framework/services.ts';
import { markParts, showView } from '../../framework/view.ts';
import { findReachableConversation, toGoneConversation } from './own-conversation.ts';
import { texts } from './texts.ts';

/** Shows the response id of the last answer of a private conversation. */
export async function continueByApi(
  services: BotServices,
  ctx: BotContext,
  { conversationId, listing }: CallbackActionOf<'continue-thread-by-api'>,
): Promise<ActionAnswer> {
  const words = texts[ctx.locale];
  const conversation = isPrivate(ctx) ? await findReachableConversation(services, ctx, conversationId) : undefined;
  if (!conversation) return toGoneConversation(services, ctx, listing);
  const answerId = await findLastAnswerId(services, conversationId);
  if (answerId === undefined) return { hint: words.noAnswerYet, isAlert: true };
  const id = await services.responses.ensureForAnswer(ctx.user.id, answerId);
  const text = words.continueByApi(id, `${services.apiUrl}/responses`);
  return { afterwards: () => showView(ctx, { text, entities: markParts(text, 'code', id) }) };
}

/** Returns the newest finished answer of the visible branch. */
async function findLastAnswerId({ conversations }: BotServices, conversationId: number): Promise<number | undefined> {
  const latest = await conversations.findLatestMessage(conversationId);
  const path = latest ? await conversations.listPath(latest.id) : [];
  return path.findLast(({ role, finishReason }) => role === 'assistant' && finishReason !== undefined)?.id;
}
