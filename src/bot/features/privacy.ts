import { Composer } from 'grammy';
import type { BotDeps } from '../bot-deps.ts';
import type { BotContext } from '../context.ts';
import { showView } from '../keyboards/view.ts';

/** `/privacy`: what is kept, for how long, and who sees it. */
export function createPrivacyFeature(deps: Pick<BotDeps, 'personalData'>): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  composer.command('privacy', (ctx) =>
    showView(ctx, { text: ctx.texts.personalData.privacy(deps.personalData.retentionDays) }),
  );
  return composer;
}
