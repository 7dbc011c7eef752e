import type { MiddlewareFn } from 'grammy';
import type { Answers } from '../answers/answers.ts';
import type { BotDeps } from '../framework/bot-deps.ts';
import type { BotContext } from '../framework/context.ts';

/**
 * Handles the stop button of a native draft like the Stop button. The update has no sender, as drafts exist in private
 * chats only, so this middleware runs before those that need one.
 */
export function createDraftStop(
  { accounts }: Pick<BotDeps, 'accounts'>,
  answers: Pick<Answers, 'stop'>,
): MiddlewareFn<BotContext> {
  return async (ctx, next) => {
    const stopped = ctx.update.stopped_message_generation;
    if (!stopped) return next();
    const user = await accounts.findTelegramUser(stopped.chat.id);
    const chatTopic = { chatId: stopped.chat.id, topicId: stopped.message_thread_id };
    // Servers send the id as a string, unlike the documented type.
    if (user) await answers.stop(chatTopic, user.id, { answerId: Number(stopped.draft_id) });
  };
}
