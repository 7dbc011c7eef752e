import type { MiddlewareFn } from 'grammy';
import type { Answers } from '../answers/answers.ts';
import type { BotDeps } from '../framework/bot-deps.ts';
import type { BotContext } from '../framework/context.ts';

/**
 * The button of a native draft: the same as the Stop button. It comes without a sender, for drafts are in private chats only, so it
 * stands before what asks who sent an update.
 */
export function createDraftStop(
  { accounts }: Pick<BotDeps, 'accounts'>,
  answers: Pick<Answers, 'stop'>,
): MiddlewareFn<BotContext> {
  return async (ctx, next) => {
    const stopped = ctx.update.stopped_message_generation;
    if (!stopped) return next();
    const user = await accounts.findTelegramUser(stopped.chat.id);
    const place = { chatId: stopped.chat.id, topicId: stopped.message_thread_id };
    // Servers send the id as a string, whatever the types say.
    if (user) await answers.stop(place, user.id, Number(stopped.draft_id));
  };
}
