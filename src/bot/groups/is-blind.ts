import type { BotContext } from '../framework/context.ts';

/** Whether Telegram shows the bot only what is said to it here. */
export async function isBlind(ctx: BotContext): Promise<boolean> {
  // It may have been changed since the bot has started.
  if ((await ctx.api.getMe()).can_read_all_group_messages) return false;
  const { status } = await ctx.getChatMember(ctx.me.id);
  return status !== 'administrator';
}
