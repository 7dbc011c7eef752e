import type { ActionAnswer, CallbackActionOf } from '../../kit/actions.ts';
import { isPrivate } from '../../kit/chats.ts';
import type { BotContext } from '../../kit/context.ts';
import type { BotServices } from '../../kit/services.ts';
import { markParts, showView } from '../../kit/views.ts';
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
