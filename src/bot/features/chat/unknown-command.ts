import { Composer } from 'grammy';
import { findLeadingCommand } from '../../framework/address.ts';
import type { BotContext } from '../../framework/context.ts';
import { isGroup } from '../../framework/place.ts';

/**
 * Commands that no feature took. In groups only those that name this bot: the others may be meant for somebody else.
 * In a caption a command is a part of what is said about the picture.
 */
export function createUnknownCommandFeature(): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  composer.on('message', async (ctx, next) => {
    const command = findLeadingCommand(ctx.message);
    if (command === undefined) return next();
    if (isGroup(ctx.chat) && !command.includes('@')) return;
    if (ctx.message.text === undefined) return next();
    await ctx.reply(ctx.texts.unknownCommand(command));
  });
  return composer;
}
