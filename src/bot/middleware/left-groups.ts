import { Composer } from 'grammy';
import { isGroup } from '../kit/chats.ts';
import type { BotContext } from '../kit/context.ts';
import type { BotServices } from '../kit/services.ts';

/** Deletes recent messages and memories of a group, and switches both off, when the bot is removed from it. */
export function createLeftGroupsFeature({ groups, memories }: BotServices): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  composer.on('my_chat_member', async (ctx, next) => {
    const { chat, new_chat_member: member } = ctx.myChatMember;
    const isGone = member.status === 'left' || member.status === 'kicked';
    if (isGroup(chat) && isGone) {
      const { settings, storesRecentMessages } = await groups.find(chat.id);
      if (storesRecentMessages) await groups.setRemembering(chat.id, false);
      // First, so that an answer in progress adds none.
      if (settings.hasMemory) await groups.change(chat.id, { hasMemory: undefined });
      await memories.removeAll({ groupId: chat.id });
    }
    await next();
  });
  return composer;
}
