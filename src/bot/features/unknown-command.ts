import { Composer } from 'grammy';
import { findLeadingCommand } from '../address.ts';
import type { BotContext } from '../context.ts';
import { isGroup } from '../place.ts';

/** Commands that no feature took. In groups only those that name this bot: the others may be meant for somebody else. */
export function createUnknownCommandFeature(): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  composer.on('message:text', async (ctx, next) => {
    const command = findLeadingCommand(ctx.message);
    if (command === undefined) return next();
    if (isGroup(ctx.chat) && !command.includes('@')) return;
    await ctx.reply(ctx.texts.unknownCommand(command));
  });
  return composer;
}
