import { Composer } from 'grammy';
import type { Answers } from '../../answers/answers.ts';
import type { BotDeps } from '../../framework/bot-deps.ts';
import type { ChoiceOf } from '../../framework/choice.ts';
import type { BotContext } from '../../framework/context.ts';
import { onPress, type PressAnswer } from '../../framework/press.ts';
import { closeView } from '../../framework/view.ts';
import type { Asker } from '../../questions/ask.ts';

/** The buttons that decide whether the model may call a tool. The answer goes on with the decision. */
export function createToolPermissionsFeature(deps: BotDeps, asker: Asker, answers: Answers): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  composer.use(onPress(deps, 'permit-tool', (ctx, pressed) => decide(deps, { asker, answers }, ctx, pressed)));
  return composer;
}

async function decide(
  { conversations }: BotDeps,
  { asker, answers }: { readonly asker: Asker; readonly answers: Answers },
  ctx: BotContext,
  { answerId, pauseId, permission }: ChoiceOf<'permit-tool'>,
): Promise<PressAnswer> {
  const { texts } = ctx;
  const closing = (hint: string): PressAnswer => ({ hint, afterwards: () => closeView(ctx) });
  const answer = await conversations.findMessage(answerId);
  const question = answer?.parentId === undefined ? undefined : await conversations.findMessage(answer.parentId);
  const last = answer && (await conversations.findLatestMessage(answer.threadId));
  // A variant without words has left its place to the answer that it was to replace.
  const isLast = last !== undefined && (last.id === answer?.id || last.id === answer?.replacesId);
  if (!answer || !question || !isLast) return closing(texts.movedOn);
  const { pausedCalls } = answer.extras;
  if (pausedCalls?.id !== pauseId || pausedCalls.isAllowed !== undefined)
    return closing(texts.tools.permission.decided);
  const asking = await asker.prepare(ctx, { modelId: answer.model, threadId: answer.threadId });
  if (!asking) return {};
  const isAllowed = permission !== 'no';
  const { threadId } = answer;
  if (permission === 'always')
    await conversations.permitTool({ threadId, personId: asking.person.id, subject: pausedCalls.subject });
  const isFirst = await answers.decide(asking, answer, question, { pauseId, isAllowed });
  const { decided, allowed, refused } = texts.tools.permission;
  return closing(isFirst ? (isAllowed ? allowed : refused) : decided);
}
