import { Composer } from 'grammy';
import type { BotDeps } from '../../framework/bot-deps.ts';
import type { BotContext } from '../../framework/context.ts';
import { toPlace } from '../../framework/place.ts';
import { onPress } from '../../framework/press.ts';

/** `/new`: from here on the model knows nothing of what came before in this place. */
export function createNewConversationFeature(deps: BotDeps): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  const startThread = async (ctx: BotContext) => {
    if (!ctx.msg) return;
    await deps.conversations.startThread(toPlace(ctx.msg), ctx.person.id);
    await ctx.reply(ctx.texts.newConversation);
  };
  composer.command('new', startThread);
  composer.use(onPress(deps, 'new-conversation', (ctx) => ({ afterwards: () => startThread(ctx) })));
  return composer;
}
