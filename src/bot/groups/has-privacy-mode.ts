import type { BotContext } from '../kit/context.ts';

/** Returns whether the bot only gets messages addressed to it in this group (privacy mode). */
export async function hasPrivacyMode(ctx: BotContext): Promise<boolean> {
  // Not cached: the setting may have changed since the start.
  if ((await ctx.api.getMe()).can_read_all_group_messages) return false;
  const { status } = await ctx.getChatMember(ctx.me.id);
  return status !== 'administrator';
}
