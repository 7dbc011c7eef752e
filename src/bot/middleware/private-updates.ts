import { Composer, type MiddlewareFn } from 'grammy';
import type { BotContext } from '../kit/context.ts';
import type { BotServices } from '../kit/services.ts';

/**
 * Handles the stop button of a native draft like the Stop button. The update has no sender, as drafts exist in private
 * chats only, so this middleware runs before those that need one.
 */
export function createDraftStop(services: BotServices): MiddlewareFn<BotContext> {
  return async (ctx, next) => {
    const stopped = ctx.update.stopped_message_generation;
    if (!stopped) return next();
    const user = await services.accounts.findTelegramUser(stopped.chat.id);
    const chatTopic = { chatId: stopped.chat.id, topicId: stopped.message_thread_id };
    // Servers send the id as a string, unlike the documented type.
    if (user) await services.answers.stop(chatTopic, user.id, { answerId: Number(stopped.draft_id) });
  };
}

/** Excludes users who have blocked the bot from broadcasts until they unblock it. */
export function createReachabilityFeature({ accounts }: BotServices): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  composer.on('my_chat_member', async (ctx, next) => {
    const { chat, new_chat_member: member } = ctx.myChatMember;
    if (chat.type === 'private') await accounts.recordReachability(chat.id, member.status !== 'kicked');
    await next();
  });
  return composer;
}
