import { Composer } from 'grammy';
import { isPrivate } from '../../framework/chat-topic.ts';
import type { BotContext } from '../../framework/context.ts';
import type { FeatureHandlers } from '../../framework/feature.ts';
import { leadToPrivate } from '../../framework/lead-to-private.ts';
import { showView } from '../../framework/view.ts';
import { createKeyLimits, setKeyRuleByText } from './key-limits.ts';
import { createKeySecrets, makeKeyByText } from './key-secrets.ts';
import { createKeyState, renameKeyByText } from './key-state.ts';
import { toListView } from './key-view.ts';
import { createNetworkNotices } from './network-notice.ts';
import type { ApiKeysServices } from './services.ts';
import { texts } from './texts/index.ts';

/** `/key`: the user's API keys and their rules; `/key laptop` creates one at once. Private chats only. */
export function createHandlers(deps: ApiKeysServices): FeatureHandlers {
  const composer = new Composer<BotContext>();
  composer.command('key', async (ctx) => {
    if (!isPrivate(ctx)) return leadToPrivate(ctx, texts[ctx.locale].onlyPrivate);
    const name = ctx.match.trim();
    if (name !== '') return makeKeyByText(deps, ctx, name);
    await showView(ctx, await toListView(deps, ctx));
  });
  composer.use(createKeyState(deps), createKeySecrets(deps), createKeyLimits(deps), createNetworkNotices(deps));
  return {
    middleware: composer,
    dialogs: {
      'key-name': (ctx, text) => makeKeyByText(deps, ctx, text),
      'manage-key-name': (ctx, text) => makeKeyByText(deps, ctx, text, 'manage'),
      'key-new-name': (ctx, text, keyId) => renameKeyByText(deps, ctx, text, keyId),
      'key-rule': (ctx, text, subject) => setKeyRuleByText(deps, ctx, text, subject),
    },
  };
}
