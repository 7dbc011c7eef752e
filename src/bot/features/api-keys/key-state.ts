import { Composer } from 'grammy';
import type { ApiKey } from '../../../core/accounts/index.ts';
import type { BotContext } from '../../framework/context.ts';
import { beginDialog, type DialogSubject } from '../../framework/dialog.ts';
import { storeKeyboard, toButtonTarget } from '../../framework/keyboard.ts';
import { type ActionAnswer, onAction } from '../../framework/on-action.ts';
import { showView } from '../../framework/view.ts';
import { describeKey } from './describe-key.ts';
import { MAX_NAME, toNames } from './key-names.ts';
import { toGoneAnswer, toKeyView, toListView, withKey } from './key-view.ts';
import type { ApiKeysServices } from './services.ts';
import { texts } from './texts/index.ts';

/** Shows, renames, pauses and revokes keys. */
export function createKeyState(deps: ApiKeysServices): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  composer.use(
    onAction(deps, 'list-keys', (ctx) => ({ afterwards: async () => showView(ctx, await toListView(deps, ctx)) })),
    onAction(deps, 'show-key', (ctx, { keyId }) =>
      withKey(deps, ctx, keyId, async (key) => showView(ctx, await toKeyView(deps, ctx, key))),
    ),
    onAction(deps, 'rename-key', (ctx, { keyId }) =>
      withKey(deps, ctx, keyId, () => beginDialog(deps, ctx, 'key-new-name', texts[ctx.locale].askNewName, keyId)),
    ),
    onAction(deps, 'pause-key', async (ctx, { keyId, isPaused }) => {
      const { apiKeys } = deps;
      const key = await (isPaused ? apiKeys.pause(ctx.user.id, keyId) : apiKeys.resume(ctx.user.id, keyId));
      if (!key) return toGoneAnswer(deps, ctx);
      const words = texts[ctx.locale];
      const hint = isPaused ? words.paused : words.resumed;
      return { hint, afterwards: async () => showView(ctx, await toKeyView(deps, ctx, key)) };
    }),
    onAction(deps, 'revoke-key', (ctx, { keyId }) => withKey(deps, ctx, keyId, (key) => askToRevoke(deps, ctx, key))),
    onAction(deps, 'revoke-key-for-good', (ctx, { keyId }) => revoke(deps, ctx, keyId)),
  );
  return composer;
}

/** Changes name and note of a key to what the user sent. */
export async function renameKeyByText(
  deps: ApiKeysServices,
  ctx: BotContext,
  text: string,
  keyId: DialogSubject,
): Promise<void> {
  const words = texts[ctx.locale];
  const id = typeof keyId === 'number' ? keyId : 0;
  const { label, ...rest } = toNames(text, deps.clock.now());
  if (label === undefined) return beginDialog(deps, ctx, 'key-new-name', words.badName(MAX_NAME), id);
  if (rest.note === null) return beginDialog(deps, ctx, 'key-new-name', words.badNote, id);
  const renamed = await deps.apiKeys.rename(ctx.user.id, id, label);
  const key = renamed && 'note' in rest ? await deps.apiKeys.change(ctx.user.id, id, { note: rest.note }) : renamed;
  if (!key) return void (await ctx.reply(words.gone));
  await showView(ctx, await toKeyView(deps, ctx, key, words.renamed));
}

async function askToRevoke(deps: ApiKeysServices, ctx: BotContext, key: ApiKey): Promise<void> {
  const words = texts[ctx.locale];
  const { id: keyId } = key;
  const keyboard = await storeKeyboard(deps, toButtonTarget(ctx), [
    [
      { text: words.buttons.revokeNow, action: { kind: 'revoke-key-for-good', keyId } },
      { text: words.buttons.keep, action: { kind: 'show-key', keyId } },
    ],
  ]);
  await showView(ctx, { ...(await describeKey(deps, ctx, key, words.askRevoke)), keyboard });
}

async function revoke(deps: ApiKeysServices, ctx: BotContext, keyId: number): Promise<ActionAnswer> {
  const words = texts[ctx.locale];
  const key = await deps.apiKeys.find(ctx.user.id, keyId);
  const isRevoked = await deps.apiKeys.revoke(ctx.user.id, keyId);
  if (isRevoked) deps.logger.info({ userId: ctx.user.id, keyId }, 'API key revoked');
  const hint = isRevoked && key ? words.revoked(key.label) : words.gone;
  return { hint, afterwards: async () => showView(ctx, await toListView(deps, ctx)) };
}
