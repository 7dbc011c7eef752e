import { Composer } from 'grammy';
import type { ApiKey } from '../../../core/accounts/index.ts';
import { type ActionAnswer, onAction } from '../../kit/actions.ts';
import type { BotContext } from '../../kit/context.ts';
import { beginDialog, type DialogSubject } from '../../kit/dialogs.ts';
import { storeKeyboard, toButtonTarget } from '../../kit/keyboards.ts';
import type { BotServices } from '../../kit/services.ts';
import { showView } from '../../kit/views.ts';
import { describeKey } from './describe-key.ts';
import { MAX_NAME, toNames } from './key-names.ts';
import { toGoneAnswer, toKeyView, toLimitsView, toListView, withKey } from './key-view.ts';
import { texts } from './texts.ts';

/** Shows keys and their rules; renames, pauses and revokes keys. */
export function createKeyState(services: BotServices): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  composer.use(
    onAction(services, 'list-keys', (ctx) => ({
      afterwards: async () => showView(ctx, await toListView(services, ctx)),
    })),
    onAction(services, 'show-key', (ctx, { keyId }) =>
      withKey(services, ctx, keyId, async (key) => showView(ctx, await toKeyView(services, ctx, key))),
    ),
    onAction(services, 'show-key-limits', (ctx, { keyId }) =>
      withKey(services, ctx, keyId, async (key) => showView(ctx, await toLimitsView(services, ctx, key))),
    ),
    onAction(services, 'rename-key', (ctx, { keyId }) =>
      withKey(services, ctx, keyId, () =>
        beginDialog(services, ctx, 'key-new-name', texts[ctx.locale].askNewName, keyId),
      ),
    ),
    onAction(services, 'pause-key', async (ctx, { keyId, isPaused }) => {
      const { apiKeys } = services;
      const key = await (isPaused ? apiKeys.pause(ctx.user.id, keyId) : apiKeys.resume(ctx.user.id, keyId));
      if (!key) return toGoneAnswer(services, ctx);
      const words = texts[ctx.locale];
      const hint = isPaused ? words.paused : words.resumed;
      return { hint, afterwards: async () => showView(ctx, await toKeyView(services, ctx, key)) };
    }),
    onAction(services, 'revoke-key', (ctx, { keyId }) =>
      withKey(services, ctx, keyId, (key) => askToRevoke(services, ctx, key)),
    ),
    onAction(services, 'revoke-key-for-good', (ctx, { keyId }) => revoke(services, ctx, keyId)),
  );
  return composer;
}

/** Changes name and note of a key to what the user sent. */
export async function renameKeyByText(
  services: BotServices,
  ctx: BotContext,
  text: string,
  keyId: DialogSubject,
): Promise<void> {
  const words = texts[ctx.locale];
  const id = typeof keyId === 'number' ? keyId : 0;
  const { label, ...rest } = toNames(text, services.clock.now());
  if (label === undefined) return beginDialog(services, ctx, 'key-new-name', words.badName(MAX_NAME), id);
  if (rest.note === null) return beginDialog(services, ctx, 'key-new-name', words.badNote, id);
  const renamed = await services.apiKeys.rename(ctx.user.id, id, label);
  const key = renamed && 'note' in rest ? await services.apiKeys.change(ctx.user.id, id, { note: rest.note }) : renamed;
  if (!key) return void (await ctx.reply(words.gone));
  await showView(ctx, await toKeyView(services, ctx, key, words.renamed));
}

async function askToRevoke(services: BotServices, ctx: BotContext, key: ApiKey): Promise<void> {
  const words = texts[ctx.locale];
  const { id: keyId } = key;
  const keyboard = await storeKeyboard(services, toButtonTarget(ctx), [
    [
      { text: words.buttons.revokeNow, action: { kind: 'revoke-key-for-good', keyId } },
      { text: words.buttons.keep, action: { kind: 'show-key', keyId } },
    ],
  ]);
  await showView(ctx, { ...(await describeKey(services, ctx, key, words.askRevoke)), keyboard });
}

async function revoke(services: BotServices, ctx: BotContext, keyId: number): Promise<ActionAnswer> {
  const words = texts[ctx.locale];
  const key = await services.apiKeys.find(ctx.user.id, keyId);
  const isRevoked = await services.apiKeys.revoke(ctx.user.id, keyId);
  if (isRevoked) services.logger.info({ userId: ctx.user.id, keyId }, 'API key revoked');
  const hint = isRevoked && key ? words.revoked(key.label) : words.gone;
  return { hint, afterwards: async () => showView(ctx, await toListView(services, ctx)) };
}
