import { Composer } from 'grammy';
import type { BotContext } from '../kit/context.ts';
import type { BotServices } from '../kit/services.ts';

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
