import { Composer } from 'grammy';
import { isPrivate } from '../../kit/chats.ts';
import type { BotContext } from '../../kit/context.ts';
import type { FeatureHandlers } from '../../kit/feature.ts';
import type { BotServices } from '../../kit/services.ts';
import { leadToPrivate, showView } from '../../kit/views.ts';
import { createKeySecrets, makeKeyByText } from './key-secrets.ts';
import { createKeyState, renameKeyByText } from './key-state.ts';
import { toListView } from './key-view.ts';
import { createNetworkNotices } from './network-notice.ts';
import { texts } from './texts.ts';

/** `/key`: the user's API keys, their state and secrets; `/key laptop` creates one at once. Private chats only. */
export function createHandlers(services: BotServices): FeatureHandlers {
  const composer = new Composer<BotContext>();
  composer.command('key', async (ctx) => {
    if (!isPrivate(ctx)) return leadToPrivate(ctx, texts[ctx.locale].onlyPrivate);
    const name = ctx.match.trim();
    if (name !== '') return makeKeyByText(services, ctx, name);
    await showView(ctx, await toListView(services, ctx));
  });
  composer.use(createKeyState(services), createKeySecrets(services), createNetworkNotices(services));
  return {
    middleware: composer,
    dialogs: {
      'key-name': (ctx, text) => makeKeyByText(services, ctx, text),
      'manage-key-name': (ctx, text) => makeKeyByText(services, ctx, text, 'manage'),
      'key-new-name': (ctx, text, keyId) => renameKeyByText(services, ctx, text, keyId),
    },
  };
}
