import { Composer } from 'grammy';
import type { ApiKey } from '../../../core/accounts/index.ts';
import type { BotDeps } from '../../framework/bot-deps.ts';
import type { BotContext } from '../../framework/context.ts';
import { beginDialog, type DialogSubject } from '../../framework/dialog.ts';
import { type KeyboardButton, offerKeyboard, toButtonTarget } from '../../framework/keyboard.ts';
import { leadToPrivate } from '../../framework/lead-to-private.ts';
import { onPress, type PressAnswer } from '../../framework/press.ts';
import { markPieces, showView, type View } from '../../framework/view.ts';
import { joinLines, type Line, toKeyLine, toNameLine } from '../files/file-view.ts';
import { isPrivate } from '../files/own-file.ts';
import { toShownName } from '../files/shown-name.ts';

/** Characters. */
const MAX_NAME = 40;

/** `/key`: makes, names, lists and revokes the user's own API keys; `/key laptop` makes one at once. In private chats only. */
export function createKeyFeature(deps: BotDeps): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  composer.command('key', async (ctx) => {
    if (!isPrivate(ctx)) return leadToPrivate(ctx, ctx.texts.account.keys.onlyPrivate);
    const name = ctx.match.trim();
    if (name !== '') return makeKeyByText(deps, ctx, name);
    await showView(ctx, await toListView(deps, ctx));
  });
  composer.use(
    onPress(deps, 'list-keys', (ctx) => ({ afterwards: async () => showView(ctx, await toListView(deps, ctx)) })),
    onPress(deps, 'make-key', async (ctx) => {
      const { keys } = ctx.texts.account;
      const { maxKeys } = deps.apiKeys;
      const own = await deps.apiKeys.list(ctx.person.id);
      if (own.length >= maxKeys) return { hint: keys.full(maxKeys), isAlert: true };
      return { afterwards: () => beginDialog(deps, ctx, 'key-name', keys.askName) };
    }),
    onPress(deps, 'show-key', (ctx, { keyId }) =>
      withKey(deps, ctx, keyId, async (key) => showView(ctx, await toKeyView(deps, ctx, key))),
    ),
    onPress(deps, 'rename-key', (ctx, { keyId }) =>
      withKey(deps, ctx, keyId, () => beginDialog(deps, ctx, 'key-new-name', ctx.texts.account.keys.askNewName, keyId)),
    ),
    onPress(deps, 'revoke-key', (ctx, { keyId }) =>
      withKey(deps, ctx, keyId, async (key) => showView(ctx, await toRevocationView(deps, ctx, key))),
    ),
    onPress(deps, 'revoke-key-for-good', (ctx, { keyId }) => revoke(deps, ctx, keyId)),
  );
  return composer;
}

/** Makes a key with the name that the person wrote, and shows it: once, and nowhere else. */
export async function makeKeyByText(deps: BotDeps, ctx: BotContext, text: string): Promise<void> {
  const { keys } = ctx.texts.account;
  const label = toLabel(text);
  if (label === undefined) return beginDialog(deps, ctx, 'key-name', keys.badName(MAX_NAME));
  const made = await deps.apiKeys.create(ctx.person.id, label);
  if (!made) return void (await ctx.reply(keys.full(deps.apiKeys.maxKeys)));
  deps.logger.info({ personId: ctx.person.id, keyId: made.key.id }, 'an API key was made');
  const lines: Line[] = [
    { text: keys.made(label) },
    { text: '' },
    toKeyLine(made.secret),
    { text: '' },
    { text: keys.baseUrl(deps.apiUrl) },
  ];
  const keyboard = await offerKeyboard(deps, toButtonTarget(ctx), [
    [{ text: keys.copy, copy_text: { text: made.secret } }],
    [{ text: keys.buttons.hide, choice: { kind: 'list-keys' } }],
  ]);
  await showView(ctx, { ...joinLines(lines), keyboard });
}

/** Gives a key the name that the person wrote. */
export async function renameKeyByText(deps: BotDeps, ctx: BotContext, text: string, keyId: DialogSubject) {
  const { keys } = ctx.texts.account;
  const id = typeof keyId === 'number' ? keyId : 0;
  const label = toLabel(text);
  if (label === undefined) return beginDialog(deps, ctx, 'key-new-name', keys.badName(MAX_NAME), id);
  const key = await deps.apiKeys.rename(ctx.person.id, id, label);
  if (!key) return void (await ctx.reply(keys.gone));
  const view = await toKeyView(deps, ctx, key);
  await showView(ctx, { ...view, text: `${view.text}\n\n${keys.renamed}` });
}

async function revoke(deps: BotDeps, ctx: BotContext, keyId: number): Promise<PressAnswer> {
  const { keys } = ctx.texts.account;
  const key = await deps.apiKeys.find(ctx.person.id, keyId);
  const isRevoked = await deps.apiKeys.revoke(ctx.person.id, keyId);
  if (isRevoked) deps.logger.info({ personId: ctx.person.id, keyId }, 'an API key was revoked');
  const hint = isRevoked && key ? keys.revoked(key.label) : keys.gone;
  return { hint, afterwards: async () => showView(ctx, await toListView(deps, ctx)) };
}

/** Goes on with a key of the person; where it is gone by now, the list shows what is left. */
async function withKey(
  deps: BotDeps,
  ctx: BotContext,
  keyId: number,
  goOn: (key: ApiKey) => Promise<void>,
): Promise<PressAnswer> {
  // So that the last use is as late as can be.
  await deps.keyUses.flush();
  const key = await deps.apiKeys.find(ctx.person.id, keyId);
  if (key) return { afterwards: () => goOn(key) };
  const hint = ctx.texts.account.keys.gone;
  return { hint, afterwards: async () => showView(ctx, await toListView(deps, ctx)) };
}

async function toListView(deps: BotDeps, ctx: BotContext): Promise<View> {
  const { keys } = ctx.texts.account;
  const own = await deps.apiKeys.list(ctx.person.id);
  const { maxKeys } = deps.apiKeys;
  const heading = own.length === 0 ? keys.none : keys.heading(own.length, maxKeys);
  const text = `${heading}\n\n${keys.about(deps.apiUrl)}`;
  const rows: KeyboardButton[][] = own.map((key) => [
    { text: `${key.label} · ${key.prefix}…`, choice: { kind: 'show-key', keyId: key.id } },
  ]);
  if (own.length < maxKeys) rows.push([{ text: keys.buttons.make, choice: { kind: 'make-key' } }]);
  rows.push([{ text: ctx.texts.buttons.close, choice: { kind: 'close-menu' } }]);
  const keyboard = await offerKeyboard(deps, toButtonTarget(ctx), rows);
  return { text, entities: markPieces(text, 'code', deps.apiUrl), keyboard };
}

async function toKeyView(deps: BotDeps, ctx: BotContext, key: ApiKey): Promise<View> {
  const { buttons } = ctx.texts.account.keys;
  const choice = (kind: 'rename-key' | 'revoke-key') => ({ kind, keyId: key.id }) as const;
  const keyboard = await offerKeyboard(deps, toButtonTarget(ctx), [
    [
      { text: buttons.rename, choice: choice('rename-key') },
      { text: buttons.revoke, choice: choice('revoke-key') },
    ],
    [{ text: buttons.all, choice: { kind: 'list-keys' } }],
  ]);
  return { ...describe(ctx, key), keyboard };
}

async function toRevocationView(deps: BotDeps, ctx: BotContext, key: ApiKey): Promise<View> {
  const { keys } = ctx.texts.account;
  const view = describe(ctx, key);
  const keyboard = await offerKeyboard(deps, toButtonTarget(ctx), [
    [
      { text: keys.buttons.revokeNow, choice: { kind: 'revoke-key-for-good', keyId: key.id } },
      { text: keys.buttons.keep, choice: { kind: 'show-key', keyId: key.id } },
    ],
  ]);
  return { ...view, text: `${view.text}\n\n${keys.askRevoke}`, keyboard };
}

function describe(ctx: BotContext, key: ApiKey) {
  const { keys } = ctx.texts.account;
  const { lastUse } = key;
  return joinLines([
    toNameLine(key.label),
    toNameLine(`${key.prefix}…`),
    { text: '' },
    { text: keys.madeOn(key.createdAt) },
    { text: lastUse ? keys.lastUsed(lastUse.at, lastUse.route, lastUse.network) : keys.neverUsed },
  ]);
}

/** Undefined where nothing that can be read is left of it. */
function toLabel(text: string): string | undefined {
  const label = toShownName(text.replace(/\s+/g, ' '));
  return label !== '…' && label.length <= MAX_NAME ? label : undefined;
}
