import { Composer } from 'grammy';
import type { BotDeps } from '../../framework/bot-deps.ts';
import type { BotContext } from '../../framework/context.ts';
import { isGroup } from '../../framework/place.ts';
import { markPieces, showView } from '../../framework/view.ts';

/** `/privacy`: what is kept, for how long, and who sees it; in private chats also the user's Telegram id, which settings ask for. */
export function createPrivacyFeature(deps: Pick<BotDeps, 'personalData'>): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  composer.command('privacy', (ctx) => {
    const ownId = isGroup(ctx.chat) ? undefined : ctx.from?.id;
    const text = ctx.texts.personalData.privacy(deps.personalData.retentionDays, ownId);
    return showView(ctx, { text, entities: ownId === undefined ? [] : markPieces(text, 'code', String(ownId)) });
  });
  return composer;
}
