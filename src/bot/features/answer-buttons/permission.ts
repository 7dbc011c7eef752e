import type { ActionAnswer, CallbackActionOf } from '../../kit/actions.ts';
import type { BotContext } from '../../kit/context.ts';
import type { BotServices } from '../../kit/services.ts';
import { closeView } from '../../kit/views.ts';
import { texts } from './texts.ts';

/** Continues a paused answer with or without the tool call. */
export async function decide(
  services: BotServices,
  ctx: BotContext,
  { answerId, pauseId, permission }: CallbackActionOf<'permit-tool'>,
): Promise<ActionAnswer> {
  const { answers, questionService, conversations } = services;
  const { decided, allowed, refused } = texts[ctx.locale].permission;
  const closing = (hint: string): ActionAnswer => ({ hint, afterwards: () => closeView(ctx) });
  const { answer, question } = await findAnswer(services, answerId);
  const last = answer && (await conversations.findLatestMessage(answer.conversationId));
  // An empty variant has been replaced by the previous answer.
  const isLast = last !== undefined && (last.id === answer?.id || last.id === answer?.replacesId);
  if (!answer || !question || !isLast) return closing(ctx.texts.movedOn);
  const { pausedCalls } = answer.extras;
  if (pausedCalls?.id !== pauseId || pausedCalls.isAllowed !== undefined) return closing(decided);
  const isAllowed = permission !== 'no';
  const { subject } = pausedCalls;
  // Calls that are permitted one by one act for the user who allows them.
  const isForAuthor = subject === undefined && question.userId !== undefined;
  if (isAllowed && isForAuthor && question.userId !== ctx.user.id)
    return { hint: texts[ctx.locale].permission.onlyAuthor, isAlert: true };
  const context = await questionService.prepare(ctx, { modelId: answer.model, conversationId: answer.conversationId });
  if (!context) return {};
  const { conversationId } = answer;
  if (permission === 'always' && subject !== undefined)
    await conversations.permitTool({ conversationId, userId: context.user.id, subject });
  const isFirst = await answers.decide(context, answer, question, { pauseId, isAllowed });
  return closing(isFirst ? (isAllowed ? allowed : refused) : decided);
}

/** Returns an answer and its question, as far as they still exist. */
export async function findAnswer({ conversations }: BotServices, answerId: number) {
  const answer = await conversations.findMessage(answerId);
  const question = answer?.parentId === undefined ? undefined : await conversations.findMessage(answer.parentId);
  return { answer, question };
}
