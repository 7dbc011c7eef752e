import { Composer } from 'grammy';
import { z } from 'zod';
import type { CallbackActionsOf } from '../../kit/actions.ts';
import { isPrivate } from '../../kit/chats.ts';
import type { BotContext } from '../../kit/context.ts';
import type { Feature, FeatureHandlers } from '../../kit/feature.ts';
import type { BotServices } from '../../kit/services.ts';
import { leadToPrivate, showView } from '../../kit/views.ts';
import { createKeySecrets, makeKeyByText } from './key-secrets.ts';
import { createKeyState, renameKeyByText } from './key-state.ts';
import { toListView } from './key-view.ts';
import { createNetworkNotices } from './network-notice.ts';
import { texts } from './texts.ts';

const key = { keyId: z.number() };

const actions = {
  'list-keys': { fields: {} },
  'make-key': { fields: {} },
  /** Explains keys that manage the service. */
  'offer-manage-key': { fields: {} },
  'make-manage-key': { fields: {} },
  'show-key': { fields: key },
  'rename-key': { fields: key },
  'pause-key': { fields: { ...key, isPaused: z.boolean() } },
  /** Shows the rules, and where they are set. */
  'show-key-limits': { fields: key },
  /** Asks how long the old secret is to work. */
  'rotate-key': { fields: key },
  /** `prefix` is that of the secret to replace. */
  'rotate-key-now': { fields: { ...key, overlapMs: z.number(), prefix: z.string() } },
  /** Asks for confirmation. */
  'revoke-key': { fields: key },
  'revoke-key-for-good': { fields: key },
  /** Buttons of the notice about a new network. */
  'confirm-key-network': { fields: key },
  'revoke-noticed-key': { fields: key },
};

declare module '../../kit/actions.ts' {
  interface FeatureActions extends CallbackActionsOf<typeof actions> {}
}
declare module '../../kit/dialogs.ts' {
  interface FeatureDialogs {
    'key-name': never;
    'manage-key-name': never;
    'key-new-name': never;
  }
}

/** `/key`: the user's API keys, their state and secrets; `/key laptop` creates one at once. Private chats only. */
export const apiKeys: Feature = {
  commands: [{ name: 'key', menus: ['private'], describe: (locale) => texts[locale].command }],
  actions,
  create: createHandlers,
};

function createHandlers(services: BotServices): FeatureHandlers {
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
